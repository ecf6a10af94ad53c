import { allocateRegion } from "../../shared/layout.ts";
import honest from "../competitors/locked-hashed-wheel.ts";
import { placeMask } from "../parts/handles.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * Looks whether the timer is live, and then cancels it, without asking whether it still was. It leaves its core in
 * between, as a preempted worker does.
 */
export default {
  ...honest,
  summary: "broken: looks whether a timer is live and then cancels it in two steps",
  words: (capacity, workers) => capacity + honest.words(capacity, workers),
  format(memory, capacity, workers) {
    memory.fill(0, 0, capacity);
    honest.format(memory.subarray(capacity), capacity, workers);
  },
  attach(memory, capacity, worker) {
    const timers = honest.attach(memory.subarray(capacity), capacity, worker);
    const { add, cancel, advance } = timers;
    const mask = placeMask(capacity);
    // By place the handle that is live, before the honest set's words.
    const end = (handle: number) => Atomics.compareExchange(memory, handle & mask, handle, 0);
    const overrides: Pick<TimerSet, "add" | "cancel" | "advance"> = {
      add(deadline) {
        const handle = add.call(timers, deadline);
        Atomics.store(memory, handle & mask, handle);
        return handle;
      },
      cancel(handle) {
        if (Atomics.load(memory, handle & mask) !== handle) return false;
        Atomics.wait(NEVER, 0, 0, PAUSE_MS);
        cancel.call(timers, handle);
        end(handle);
        return true;
      },
      advance(now, out, budget) {
        const count = advance.call(timers, now, out, budget);
        out.subarray(0, count).forEach(end);
        return count;
      },
    };
    return Object.assign(timers, overrides);
  },
} satisfies TimersCompetitor;

export const breaks = "answersTruly";

const NEVER = allocateRegion(1);
const PAUSE_MS = 0.02;
