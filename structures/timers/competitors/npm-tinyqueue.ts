import TinyQueue from "tinyqueue";
import { byKey, type LazyEntry, type LazyHeap, LazyTimers, lazyTraits } from "../parts/lazy.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The package tinyqueue, a binary heap of objects under a comparator, with lazy cancellation.
 *
 * Promise: everything the contract asks; order due; never late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh make an entry and push it, cancel marks; every entry, dead or alive, is popped once when its
 *   time comes. A sift holds its item back and moves the others past it.
 * Memory: 16 bytes per place for handles and keys, and an object per entry, private. A refresh leaves its former entry
 *   behind until that was due.
 * Limits: entries per timer are the refreshes in one timeout; nothing bounds them. It removes nothing but its front.
 * Bet: the comparator and an object per entry make it slower than flatqueue, and nothing makes up for it.
 * Source: npm tinyqueue 3.0.0 (V. Agafonkin).
 */
export default {
  ...lazyTraits,
  summary: "tinyqueue's heap of objects, cancelled lazily",
  source: "npm tinyqueue",
  variantOf: "object-heap-lazy",
  attach: (_memory, capacity) => new LazyTimers(capacity, () => new TinyHeap()),
} satisfies TimersCompetitor;

class TinyHeap implements LazyHeap {
  readonly #queue = new TinyQueue<LazyEntry>([], byKey);

  push(handle: number, key: number): void {
    this.#queue.push({ handle, key });
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
