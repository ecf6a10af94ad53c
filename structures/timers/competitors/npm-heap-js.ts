import { Heap } from "heap-js";
import { byKey, type LazyEntry, type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package heap-js, a binary heap of objects under a comparator, with lazy cancellation.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh make an entry and push it, cancel marks; every entry, dead or alive, is popped once when its
 *   time comes. A sift holds its item back and moves the others past it.
 * Memory: 16 bytes per place for handles and keys, and an object per entry, private. A refresh leaves its former entry
 *   behind until that was due.
 * Limits: entries per timer are the refreshes in one timeout; nothing bounds them. Its remove searches the whole
 *   heap, so marks stand in for it.
 * Bet: it is as fast as tinyqueue, whose algorithm it has, for all its larger interface.
 * Source: npm heap-js 2.7.1 (I. Lago).
 */
export default {
  ...lazyTraits,
  summary: "heap-js's heap of objects, cancelled lazily",
  source: "npm heap-js",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, () => new JsHeap()),
} satisfies TimersCompetitor;

class JsHeap implements LazyHeap {
  readonly #queue = new Heap<LazyEntry>(byKey);

  push(handle: number, key: number): void {
    this.#queue.add({ handle, key });
  }

  firstKey(): number {
    return this.#queue.peek()?.key ?? Number.POSITIVE_INFINITY;
  }

  first(): number {
    return this.#queue.peek()!.handle;
  }

  pop(): number {
    return this.#queue.pop()!.handle;
  }
}
