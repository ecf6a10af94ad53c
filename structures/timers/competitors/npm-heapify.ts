import { MinQueue } from "heapify";
import { placeMask } from "../parts/handles.ts";
import { type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package heapify, a binary heap in two typed arrays of fixed size, with lazy cancellation.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh push an entry, cancel marks; a pop waits for the push or look that follows it. A push into a
 *   full heap builds a new one from the live entries, which reads every place there is.
 * Memory: 48 bytes per place for entries, 28 for handles and keys, private.
 * Limits: the package throws when it is full, so dead entries have to go before that; the push that finds it full
 *   pays for all.
 * Bet: being made to clear its dead entries away is what makes a lazy heap bearable: it beats flatqueue once a timeout
 *   has passed.
 * Source: npm heapify 1.0.2 (L. Paiva), MinQueue.
 */
export default {
  ...lazyTraits,
  summary: "heapify's heap in typed arrays, cancelled lazily, built anew from the living when full",
  source: "npm heapify",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, (timers) => new FixedHeap(capacity, timers)),
} satisfies TimersCompetitor;

/** Entries per place: a heap is built anew after three dead entries for each live one at the soonest. */
const ENTRIES_PER_PLACE = 4;

class FixedHeap implements LazyHeap {
  readonly #timers: LazyTimers;
  readonly #mask: number;
  /** By place: the handle and the key pushed last; every true entry is one of them. */
  readonly #handles: Int32Array;
  readonly #keys: Float64Array;
  #queue: MinQueue;

  constructor(capacity: number, timers: LazyTimers) {
    this.#timers = timers;
    this.#mask = placeMask(capacity);
    this.#handles = new Int32Array(capacity);
    this.#keys = new Float64Array(capacity);
    this.#queue = createQueue(capacity * ENTRIES_PER_PLACE, [], []);
  }

  push(handle: number, key: number): void {
    if (this.#queue.size === this.#queue.capacity) this.#rebuild();
    this.#queue.push(handle, key);
    this.#handles[handle & this.#mask] = handle;
    this.#keys[handle & this.#mask] = key;
  }

  firstKey(): number {
    return this.#queue.size === 0 ? Number.POSITIVE_INFINITY : this.#queue.peekPriority();
  }

  first(): number {
    return this.#queue.peek();
  }

  pop(): number {
    return this.#queue.pop()!;
  }

  #rebuild(): void {
    const handles: number[] = [];
    const keys: number[] = [];
    this.#handles.forEach((handle, place) => {
      const key = this.#keys[place]!;
      if (!this.#timers.isTrue(handle, key)) return;
      handles.push(handle);
      keys.push(key);
    });
    this.#queue = createQueue(this.#queue.capacity, handles, keys);
  }
}

function createQueue(capacity: number, handles: number[], keys: number[]): MinQueue {
  // Keys outgrow 32 bits. The package runs with any typed array; only its types know of no other.
  const Keys = Float64Array as unknown as Uint32ArrayConstructor;
  return new MinQueue(capacity, handles, keys, Uint32Array, Keys);
}
