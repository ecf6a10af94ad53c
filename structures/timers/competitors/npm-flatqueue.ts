import FlatQueue from "flatqueue";
import { type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package flatqueue, a binary heap in two flat arrays, with lazy cancellation: it stands for the heaps of npm.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh push an entry, cancel marks; every entry, dead or alive, is popped once when its time comes.
 * Memory: 16 bytes per place for handles and keys, and two array elements per entry, private. A refresh leaves its
 *   former entry behind until that was due.
 * Limits: entries per timer are the refreshes in one timeout; nothing bounds them. Its arrays are the growing kind,
 *   because the fixed kind throws when it is full of dead entries. advance may drop any number of dead entries in one
 *   call.
 * Bet: pushing is so cheap that cancelling lazily looks free until a timeout has passed. Then every refresh is paid
 *   with a pop of a heap many times as large as its timers.
 * Source: npm flatqueue 3.1.0 (V. Agafonkin).
 */
export default {
  ...lazyTraits,
  summary: "flatqueue's heap in flat arrays, cancelled lazily",
  source: "npm flatqueue",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, new FlatHeap()),
} satisfies TimersCompetitor;

class FlatHeap implements LazyHeap {
  readonly #queue = new FlatQueue<number>();

  push(handle: number, key: number): void {
    this.#queue.push(handle, key);
  }

  firstKey(): number {
    return this.#queue.peekValue() ?? Number.POSITIVE_INFINITY;
  }

  first(): number {
    return this.#queue.peek()!;
  }

  pop(): number {
    return this.#queue.pop()!;
  }
}
