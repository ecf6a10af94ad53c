import { IntervalTree } from "node-interval-tree";
import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Held, type HeldTree, intervalTreeClaims, overIntervalTrees } from "../parts/interval-trees.ts";

/**
 * The package node-interval-tree, an AVL tree of closed intervals per resource, which may overlap.
 *
 * Promise: the specification. The wrapper adds what no interval tree has. One owner's intervals are joined before they
 *   are stored, and [start, end) is stored as the milliseconds start to end - 1. A point of several owners is a
 *   conflict.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(log n + intervals it overlaps), with one search, one removal for each interval that it joins, and one
 *   insertion. Lookup O(log n). Trim O(resources * log n + intervals forgotten).
 * Memory: one Map entry and one tree per resource, one node with an array, and one object, per interval on the heap.
 * Limits: none but the heap.
 * Bet: a tree that allows overlaps pays on every lookup for a list of results, in which there is nearly always one.
 * Source: npm node-interval-tree 2.1.2 (ShieldBattery).
 */
export default {
  ...intervalTreeClaims,
  summary: "node-interval-tree's AVL tree of each owner's claims, one per resource",
  source: "npm node-interval-tree 2.1.2",
  attach: (_memory, capacity) => overIntervalTrees(capacity, () => new AvlTree()),
} satisfies OwnershipCompetitor;

class AvlTree implements HeldTree {
  readonly #tree = new IntervalTree<Held>();

  search(low: number, high: number): Held[] {
    return this.#tree.search(low, high);
  }

  insert(held: Held): void {
    this.#tree.insert(held);
  }

  remove(held: readonly Held[]): void {
    for (const one of held) this.#tree.remove(one);
  }
}
