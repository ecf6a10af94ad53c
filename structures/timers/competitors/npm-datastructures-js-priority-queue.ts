import { PriorityQueue } from "@datastructures-js/priority-queue";
import { byKey, type LazyEntry, type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package @datastructures-js/priority-queue, a binary heap of objects under a comparator, with lazy cancellation.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh make an entry and push it, cancel marks; every entry, dead or alive, is popped once when its
 *   time comes. A sift swaps neighbours through several small methods, each with bounds checks of its own.
 * Memory: 16 bytes per place for handles and keys, and an object per entry, private. A refresh leaves its former entry
 *   behind until that was due.
 * Limits: entries per timer are the refreshes in one timeout; nothing bounds them. Its remove takes the whole heap
 *   apart, so marks stand in for it.
 * Bet: its layers cost more than its heap: the slowest of the heaps of npm.
 * Source: npm @datastructures-js/priority-queue 6.4.0 (E. Ranjous).
 */
export default {
  ...lazyTraits,
  summary: "@datastructures-js/priority-queue's heap of objects, cancelled lazily",
  source: "npm @datastructures-js/priority-queue",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, () => new DatastructuresHeap()),
} satisfies TimersCompetitor;

class DatastructuresHeap implements LazyHeap {
  readonly #queue = new PriorityQueue<LazyEntry>(byKey);

  push(handle: number, key: number): void {
    this.#queue.push({ handle, key });
  }

  firstKey(): number {
    return this.#queue.front()?.key ?? Number.POSITIVE_INFINITY;
  }

  first(): number {
    return this.#queue.front()!.handle;
  }

  pop(): number {
    return this.#queue.pop()!.handle;
  }
}
