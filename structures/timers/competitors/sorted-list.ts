import { Handles } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * One array of all timers in order of deadlines: the oracle, and what the textbook starts from.
 *
 * Promise: everything the contract asks; order fifo; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add scans back from the end over every later timer, then moves them. cancel scans from the front and moves the
 *   rest; refresh does both. advance copies the due ones and moves the rest once.
 * Memory: 16 bytes per place, private.
 * Limits: at 100,000 timers each change moves up to 400 kB.
 * Bet: none; it is here to be right, and to show what the O(n) of the textbook costs with today's memmove.
 * Source: Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (1987), scheme 2.
 */
export default {
  ...privateToThread,
  summary: "one array in order of deadlines, changed by memmove",
  source: 'Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (1987), scheme 2',
  order: "fifo",
  mostTimers: 1_000,
  attach: (_memory, capacity) => new SortedList(capacity),
} satisfies TimersCompetitor;

export class SortedList implements TimerSet {
  readonly #handles: Handles;
  /** By place. */
  readonly #deadline: Int32Array;
  /** The `#size` live handles, the one due first in front; those of one tick in the order of arrival. */
  readonly #sorted: Int32Array;
  #size = 0;
  #clock = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#deadline = new Int32Array(capacity);
    this.#sorted = new Int32Array(capacity);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    const handle = this.#handles.take();
    this.#insert(handle, tick);
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#handles.release(handle);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#insert(handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const target = ((now - this.#clock) | 0) > 0 ? now | 0 : this.#clock;
    let count = 0;
    while (count < limit && count < this.#size && ((target - this.#deadlineOf(count)) | 0) >= 0) {
      this.#clock = this.#deadlineOf(count);
      const handle = this.#sorted[count]!;
      this.#handles.release(handle);
      out[count++] = handle;
    }
    if (count < limit) this.#clock = target;
    if (count > 0) this.#sorted.copyWithin(0, count, this.#size);
    this.#size -= count;
    return count;
  }

  nextExpiry(): number | undefined {
    return this.#size === 0 ? undefined : this.#deadlineOf(0);
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  #deadlineOf(index: number): number {
    return this.#deadline[this.#handles.placeOf(this.#sorted[index]!)]!;
  }

  #insert(handle: number, deadline: number): void {
    let index = this.#size;
    while (index > 0 && ((this.#deadlineOf(index - 1) - deadline) | 0) > 0) index--;
    this.#sorted.copyWithin(index + 1, index, this.#size);
    this.#sorted[index] = handle;
    this.#deadline[this.#handles.placeOf(handle)] = deadline;
    this.#size++;
  }

  #remove(handle: number): void {
    const index = this.#sorted.indexOf(handle);
    this.#sorted.copyWithin(index, index + 1, this.#size);
    this.#size--;
  }
}
