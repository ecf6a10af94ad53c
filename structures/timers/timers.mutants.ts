import { allocateRegion, type Region } from "../shared/layout.ts";
import {
  changed,
  like,
  type Mutant,
  type Mutants,
  mutantAsked,
  mutantsIn,
  racy,
  writtenIn,
} from "../shared/mutants.ts";
import { InboxWheels } from "./competitors/inbox-wheels.ts";
import { SortedList } from "./competitors/sorted-list.ts";
import { Sweep } from "./competitors/sweep.ts";
import { placeMask } from "./parts/handles.ts";
import { NpmTimerWheel } from "./parts/npm-timer-wheel.ts";
import type { TimerSet, TimersCompetitor } from "./timers.contract.ts";

/** The sorted list with a fault in its class. */
function sorted(
  breaks: string,
  Faulty: new (capacity: number) => TimerSet,
  more: Partial<TimersCompetitor> = {},
): Mutant<TimersCompetitor> {
  return like("sorted-list", breaks, () => ({
    ...more,
    attach: (_memory, capacity) => new Faulty(capacity),
  }));
}

/** The sorted list, in which a timer is due when `moved` says. */
function mistimed(
  breaks: string,
  moved: (deadline: number, clock: number) => number,
): Mutant<TimersCompetitor> {
  return sorted(
    breaks,
    class extends SortedList {
      override add(deadline: number): number {
        return super.add(moved(deadline, this.clock));
      }

      override refresh(handle: number, deadline: number): boolean {
        return super.refresh(handle, moved(deadline, this.clock));
      }
    },
  );
}

const TICKS_PER_SLOT = 64;
const LATENESS = 8;
const SLOTS = 4096;
const SLOT_MASK = 63;
/** Where a dropped timer goes: counted as live, further away than anybody waits. */
const FAR = 2 ** 29;
const NEVER = allocateRegion(1);
const PAUSE_MS = 0.02;

const TABLE: Mutants<TimersCompetitor> = {
  ...writtenIn<TimersCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** Keeps what is added between two ticks in a batch, and cuts the batch off where one of it is cancelled. */
  "batch-loser": sorted(
    "conserved",
    class extends SortedList {
      readonly #batch = new Set<number>();

      override add(deadline: number): number {
        const handle = super.add(deadline);
        this.#batch.add(handle);
        return handle;
      }

      override cancel(handle: number): boolean {
        const done = super.cancel(handle);
        if (!this.#batch.has(handle)) return done;
        for (const waiting of this.#batch) super.cancel(waiting);
        this.#batch.clear();
        return done;
      }

      override advance(now: number, out: Int32Array, budget: number): number {
        this.#batch.clear();
        return super.advance(now, out, budget);
      }
    },
  ),
  /** Keeps what is added between two ticks in a batch, and registers each batch at two ticks in a row. */
  "batch-repeater": sorted(
    "reportedOnce",
    class extends SortedList {
      readonly #batch = new Set<number>();
      /** Those of the last batch that were reported at once. */
      #again: number[] = [];

      override add(deadline: number): number {
        const handle = super.add(deadline);
        this.#batch.add(handle);
        return handle;
      }

      override advance(now: number, out: Int32Array, budget: number): number {
        const limit = Math.min(budget, out.length);
        let count = super.advance(now, out, limit);
        const reported = Array.from(out.subarray(0, count));
        for (const handle of this.#again) if (count < limit) out[count++] = handle;
        this.#again = reported.filter((handle) => this.#batch.has(handle));
        this.#batch.clear();
        return count;
      }
    },
  ),
  /** Resumes at the timer it stopped at, not after it: the last of a full batch is reported again. */
  "double-reporter": sorted(
    "reportedOnce",
    class extends SortedList {
      #again = 0;

      override advance(now: number, out: Int32Array, budget: number): number {
        const limit = Math.min(budget, out.length);
        if (limit === 0) return 0;
        let count = 0;
        if (this.#again !== 0) out[count++] = this.#again;
        count += super.advance(now, out.subarray(count), limit - count);
        this.#again = count === limit && this.#again === 0 ? out[count - 1]! : 0;
        return count;
      }
    },
  ),
  /** A wheel of coarse slots that files a timer into the slot its deadline lies in, and fires the slot when it begins. */
  "early-wheel": mistimed("neverEarly", (deadline, clock) => {
    const start = deadline & -TICKS_PER_SLOT;
    return ((start - clock) | 0) > 0 ? start : clock + 1;
  }),
  /** Reports a batch from its end, as a list that is pushed and popped in front would, and still claims fifo. */
  "newest-first": sorted(
    "inOrder",
    class extends SortedList {
      override advance(now: number, out: Int32Array, budget: number): number {
        const count = super.advance(now, out, budget);
        out.subarray(0, count).reverse();
        return count;
      }
    },
  ),
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
  /** Claims a lateness that only its nextExpiry makes use of: its advance reports what is due at once. */
  oversleeper: sorted(
    "quietUntilExpiry",
    class extends SortedList {
      override nextExpiry(): number | undefined {
        const next = super.nextExpiry();
        return next === undefined ? undefined : (next + LATENESS) | 0;
      }
    },
    { lateness: () => LATENESS },
  ),
  /** Cancels by a mark on the place, found when its tick comes; the place's next timer is taken for cancelled. */
  "readd-dropper": sorted(
    "withinLateness",
    class extends SortedList {
      readonly #mask: number;
      /** Places. */
      readonly #cancelled = new Set<number>();

      constructor(capacity: number) {
        super(capacity);
        this.#mask = placeMask(capacity);
      }

      override cancel(handle: number): boolean {
        const done = super.cancel(handle);
        if (done) this.#cancelled.add(handle & this.#mask);
        return done;
      }

      override advance(now: number, out: Int32Array, budget: number): number {
        const deadline = out.slice(0, super.advance(now, out, budget));
        const reported = deadline.filter((handle) => !this.#cancelled.delete(handle & this.#mask));
        out.set(reported);
        return reported.length;
      }
    },
  ),
  /** A wheel whose tick empties the slot after reporting what is due, and so drops what is due a rotation later. */
  "rotation-dropper": mistimed("withinLateness", (deadline, clock) => {
    const delay = (deadline - clock) | 0;
    return delay > SLOTS && delay < FAR ? clock + FAR : deadline;
  }),
  /**
   * A wheel that forgot rotations: whatever lies in a slot is due when the hand passes. Early for all beyond one
   * rotation.
   */
  "rotationless-wheel": mistimed("neverEarly", (deadline, clock) => {
    const delay = (deadline - clock) | 0;
    return delay > SLOTS ? clock + 1 + ((delay - 1) % SLOTS) : deadline;
  }),
  /** A wheel whose refresh links the record before it unlinks it: lost when both are the same slot. */
  "same-slot-loser": sorted(
    "conserved",
    class extends SortedList {
      readonly #slots = new Map<number, number>();

      override add(deadline: number): number {
        const handle = super.add(deadline);
        this.#slots.set(handle, deadline & SLOT_MASK);
        return handle;
      }

      override refresh(handle: number, deadline: number): boolean {
        const done = super.refresh(handle, deadline);
        if (done && this.#slots.get(handle) === (deadline & SLOT_MASK)) super.cancel(handle);
        this.#slots.set(handle, deadline & SLOT_MASK);
        return done;
      }
    },
  ),
  /** Remembers its next expiry and forgets to lower it when an earlier timer is added. */
  "stale-alarm": sorted(
    "wakesInTime",
    class extends SortedList {
      #alarm: number | undefined;

      override advance(now: number, out: Int32Array, budget: number): number {
        this.#alarm = undefined;
        return super.advance(now, out, budget);
      }

      override nextExpiry(): number | undefined {
        this.#alarm ??= super.nextExpiry();
        return this.#alarm;
      }
    },
  ),
  /** Looks at a handle's place only: an old handle cancels the timer that has the place now. */
  "ungenerational-handles": sorted(
    "answersTruly",
    class extends SortedList {
      readonly #mask: number;
      /** By place: the handle given out last. */
      readonly #latest = new Map<number, number>();

      constructor(capacity: number) {
        super(capacity);
        this.#mask = placeMask(capacity);
      }

      override add(deadline: number): number {
        const handle = super.add(deadline);
        this.#latest.set(handle & this.#mask, handle);
        return handle;
      }

      override cancel(handle: number): boolean {
        return super.cancel(this.#latest.get(handle & this.#mask) ?? handle);
      }
    },
  ),
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
