import FastPriorityQueue from "fastpriorityqueue";
import { type LazyEntry, type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package fastpriorityqueue, a binary heap of objects under a yes-or-no comparator, with lazy cancellation.
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
 * Bet: its name holds among heaps of objects under a comparator, and not against flatqueue.
 * Source: npm fastpriorityqueue 0.8.0 (D. Lemire).
 */
export default {
  ...lazyTraits,
  summary: "fastpriorityqueue's heap of objects, cancelled lazily",
  source: "npm fastpriorityqueue",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, () => new FastHeap()),
} satisfies TimersCompetitor;

class FastHeap implements LazyHeap {
  readonly #queue = new FastPriorityQueue<LazyEntry>((a, b) => a.key < b.key);

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
    return this.#queue.poll()!.handle;
  }
}
