import type { TimerSet } from "../timers.contract.ts";
import { Handles } from "./handles.ts";
import { deadlineTick } from "./ticks.ts";
import { privateToThread } from "./traits.ts";

/**
 * Timers on a priority queue that can only push and pop. cancel marks, refresh pushes once more, and an entry that is
 * out of date is dropped when it comes to the front.
 *
 * An entry is true while its handle is live and is due when the entry says. A timer that was refreshed away and back
 * has two true entries; the first to come reports it and so makes the other false.
 *
 * Keys are ticks since the set was made, as doubles that do not wrap, because packages compare numbers.
 */
export class LazyTimers implements TimerSet {
  readonly #handles: Handles;
  readonly #heap: LazyHeap;
  /** By place: the key of its live timer. */
  readonly #keys: Float64Array;
  #size = 0;
  #elapsed = 0;

  constructor(capacity: number, heap: LazyHeap) {
    this.#handles = new Handles(capacity);
    this.#keys = new Float64Array(capacity);
    this.#heap = heap;
  }

  add(deadline: number): number {
    const key = this.#keyOf(deadline);
    const handle = this.#handles.take();
    this.#keys[this.#handles.placeOf(handle)] = key;
    this.#heap.push(handle, key);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#handles.release(handle);
    this.#size--;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const key = this.#keyOf(deadline);
    if (!this.#handles.isLive(handle)) return false;
    this.#keys[this.#handles.placeOf(handle)] = key;
    this.#heap.push(handle, key);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const target = this.#elapsed + Math.max(0, (now - this.clock) | 0);
    let count = 0;
    while (count < limit) {
      const key = this.#heap.firstKey();
      if (key > target) {
        this.#elapsed = target;
        break;
      }
      const handle = this.#heap.pop();
      if (!this.#isTrue(handle, key)) continue;
      this.#elapsed = key;
      this.#handles.release(handle);
      this.#size--;
      out[count++] = handle;
    }
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    let key = this.#heap.firstKey();
    while (!this.#isTrue(this.#heap.first(), key)) {
      this.#heap.pop();
      key = this.#heap.firstKey();
    }
    return key | 0;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#elapsed | 0;
  }

  #isTrue(handle: number, key: number): boolean {
    return this.#handles.isLive(handle) && this.#keys[this.#handles.placeOf(handle)] === key;
  }

  #keyOf(deadline: number): number {
    const clock = this.clock;
    return this.#elapsed + ((deadlineTick(clock, deadline) - clock) | 0);
  }
}

/** What LazyTimers needs of a package's priority queue: entries of handle and key, the least key in front. */
export interface LazyHeap {
  push(handle: number, key: number): void;
  /** Infinity when empty. */
  firstKey(): number;
  /** The handle in front, of a heap that is not empty. */
  first(): number;
  /** Removes the entry in front of a heap that is not empty; returns its handle. */
  pop(): number;
}

/** What all competitors on LazyTimers claim. */
export const lazyTraits = {
  ...privateToThread,
  order: "deadline",
  emulates: "cancel by a mark, refresh by one more entry; dead entries are dropped in front",
} as const;
