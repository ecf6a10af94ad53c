import IntervalTree from "@flatten-js/interval-tree";
import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Held, type HeldTree, intervalTreeClaims, overIntervalTrees } from "../parts/interval-trees.ts";

/**
 * The package @flatten-js/interval-tree, a red-black tree of closed intervals per resource, which may overlap.
 *
 * Promise: the specification. The wrapper adds what no interval tree has. One owner's intervals are joined before they
 *   are stored, and [start, end) is stored as the milliseconds start to end - 1. A point of several owners is a
 *   conflict.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(log n + intervals it overlaps), with one search, one removal for each interval that it joins, and one
 *   insertion. Lookup O(log n). Trim O(resources * log n + intervals forgotten). Every call makes a node and an
 *   interval to search with, and every change one more interval for each node on the way up.
 * Memory: one Map entry, one tree and its sentinel node per resource. Each interval has a node, its key, the span of
 *   its subtree, an array of values and the value on the heap.
 * Limits: none but the heap.
 * Bet: balanced as well as the AVL tree, and slower by the objects that it makes for every question.
 * Source: npm @flatten-js/interval-tree 2.0.3 (A. Bol), after Cormen et al., ch. 14.3.
 */
export default {
  ...intervalTreeClaims,
  summary: "@flatten-js/interval-tree's red-black tree of each owner's claims, one per resource",
  source: "npm @flatten-js/interval-tree 2.0.3",
  attach: (_memory, capacity) => overIntervalTrees(capacity, () => new RedBlackTree()),
} satisfies OwnershipCompetitor;

class RedBlackTree implements HeldTree {
  readonly #tree = new IntervalTree<Held>();

  search(low: number, high: number): Held[] {
    return this.#tree.search([low, high]);
  }

  insert(held: Held): void {
    this.#tree.insert([held.low, held.high], held);
  }

  remove(held: readonly Held[]): void {
    for (const one of held) this.#tree.remove([one.low, one.high], one);
  }
}
