import { allocateRegion, type Region } from "../shared/layout.ts";
import { changed, like, type Mutants, mutantAsked, mutantsIn, racy, writtenIn } from "../shared/mutants.ts";
import { InboxWheels } from "./competitors/inbox-wheels.ts";
import { Sweep } from "./competitors/sweep.ts";
import { placeMask } from "./parts/handles.ts";
import { NpmTimerWheel } from "./parts/npm-timer-wheel.ts";
import type { TimersCompetitor } from "./timers.contract.ts";

const NEVER = allocateRegion(1);
const PAUSE_MS = 0.02;

const TABLE: Mutants<TimersCompetitor> = {
  ...writtenIn<TimersCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /**
   * The package timer-wheel 1.0.0, not altered. It empties a slot timer by timer; one that is not due yet goes back into
   * the same slot, and unlinking the next one then unlinks it too: lost, as a timer of 4072 ms followed by one of 3432 ms
   * is when the wheel is advanced each second.
   */
  "npm-timer-wheel": like("sorted-list", "withinLateness", () => ({
    order: "none",
    // Its finest slot is 1,024 ticks and is emptied when the next one begins.
    lateness: () => 1023,
    attach: (_memory, capacity) => new NpmTimerWheel(capacity),
  })),
  /** Remembers that a budget interrupted it until the scan has gone on, whatever became of what was left over. */
  "wakeful-sweep": like("sweep", "wakesForLeftovers", () => {
    class WakefulSweep extends Sweep {
      #isInterrupted = false;

      override advance(now: number, out: Int32Array, budget: number): number {
        const count = super.advance(now, out, budget);
        this.#isInterrupted = count === Math.min(budget, out.length);
        return count;
      }

      override nextExpiry(): number | undefined {
        const next = super.nextExpiry();
        return next !== undefined && this.#isInterrupted ? this.clock : next;
      }
    }
    return { attach: (memory, capacity) => new WakefulSweep(memory, capacity) };
  }),
  /**
   * Tries once to put a record into the inbox, and does not look whether it got there. It leaves its core in between, as
   * a preempted worker does. One that stores without comparing is a change in timers.model.test.ts: in threads it hangs.
   */
  "inbox-loser": racy(
    like("inbox-wheels", "conserved", () => {
      class InboxLoser extends InboxWheels {
        protected override push(memory: Region, top: number, below: number, record: number): void {
          const first = Atomics.load(memory, top);
          Atomics.store(memory, below, first);
          Atomics.wait(NEVER, 0, 0, PAUSE_MS);
          Atomics.compareExchange(memory, top, first, record);
        }
      }
      return { attach: (memory, capacity, worker) => new InboxLoser(memory, capacity, worker) };
    }),
  ),
  /**
   * Looks whether the timer is live, and then cancels it, without asking whether it still was. It leaves its core in
   * between, as a preempted worker does.
   */
  "racy-cancel": racy(
    like("locked-hashed-wheel", "answersTruly", (honest) => ({
      words: (capacity, workers) => capacity + honest.words(capacity, workers),
      format(memory, capacity, workers) {
        memory.fill(0, 0, capacity);
        honest.format(memory.subarray(capacity), capacity, workers);
      },
      attach(memory, capacity, worker) {
        const timers = honest.attach(memory.subarray(capacity), capacity, worker);
        const mask = placeMask(capacity);
        // By place the handle that is live, before the honest set's words.
        const end = (handle: number) => Atomics.compareExchange(memory, handle & mask, handle, 0);
        return changed(timers, {
          add(deadline) {
            const handle = timers.add(deadline);
            Atomics.store(memory, handle & mask, handle);
            return handle;
          },
          cancel(handle) {
            if (Atomics.load(memory, handle & mask) !== handle) return false;
            Atomics.wait(NEVER, 0, 0, PAUSE_MS);
            timers.cancel(handle);
            end(handle);
            return true;
          },
          advance(now, out, budget) {
            const count = timers.advance(now, out, budget);
            out.subarray(0, count).forEach(end);
            return count;
          },
        });
      },
    })),
  ),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
