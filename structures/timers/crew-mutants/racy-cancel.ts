import { allocateRegion, type Region } from "../../shared/layout.ts";
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
  attach: (memory, capacity, seat) =>
    new RacyCancel(honest.attach(memory.subarray(capacity), capacity, seat), memory, placeMask(capacity)),
} satisfies TimersCompetitor;

export const breaks = "answersTruly";

class RacyCancel implements TimerSet {
  readonly #timers: TimerSet;
  /** By place: the handle that is live. */
  readonly #live: Region;
  readonly #mask: number;

  constructor(timers: TimerSet, live: Region, mask: number) {
    this.#timers = timers;
    this.#live = live;
    this.#mask = mask;
  }

  add(due: number): number {
    const handle = this.#timers.add(due);
    Atomics.store(this.#live, handle & this.#mask, handle);
    return handle;
  }

  cancel(handle: number): boolean {
    if (Atomics.load(this.#live, handle & this.#mask) !== handle) return false;
    Atomics.wait(NEVER, 0, 0, PAUSE_MS);
    this.#timers.cancel(handle);
    Atomics.compareExchange(this.#live, handle & this.#mask, handle, 0);
    return true;
  }

  refresh(handle: number, due: number): boolean {
    return this.#timers.refresh(handle, due);
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const count = this.#timers.advance(now, out, budget);
    for (const handle of out.subarray(0, count)) {
      Atomics.compareExchange(this.#live, handle & this.#mask, handle, 0);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    return this.#timers.nextExpiry();
  }

  get size(): number {
    return this.#timers.size;
  }

  get clock(): number {
    return this.#timers.clock;
  }
}

const NEVER = allocateRegion(1);
const PAUSE_MS = 0.02;
