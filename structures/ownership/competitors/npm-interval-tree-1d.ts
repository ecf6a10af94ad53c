import createIntervalTree from "interval-tree-1d";
import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Held, type HeldTree, intervalTreeClaims, overIntervalTrees } from "../parts/interval-trees.ts";

/**
 * The package interval-tree-1d, a centered interval tree per resource: each node has a midpoint and the intervals that
 * contain it, sorted by either end.
 *
 * Promise: the specification. The wrapper adds what no interval tree has. One owner's intervals are joined before they
 *   are stored, and [start, end) is stored as the milliseconds start to end - 1. A point of several owners is a
 *   conflict.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(log n) amortised. It marks the intervals it joins, and they are left out when the resource's tree is
 *   rebuilt because most of it is marked. Lookup O(log n + marked intervals it finds); trim O(resources * log n), and
 *   amortised O(log n) per interval forgotten.
 * Memory: one Map entry and one tree per resource, two objects per interval and up to one node with two arrays, on the
 *   heap. As many intervals again may be marked, each with an entry of one Set.
 * Limits: 2^24 marked intervals in all trees, which is what a Set takes; and the heap.
 * Bet: the quickest of the interval trees to query, as a node answers without looking at each interval. Its removals
 *   lose that gain, because most claims prolong a range and so replace an interval.
 * Source: npm interval-tree-1d 1.0.4 (M. Lysenko). Its `remove` is not used, because it loses intervals. To remove a
 *   node with two children it moves the rightmost node of the left side there. Intervals that stay on the left may then
 *   reach past the new midpoint, and are no longer found. It also miscounts (its issue 17).
 */
export default {
  ...intervalTreeClaims,
  summary: "interval-tree-1d's centered tree of each owner's claims, one per resource",
  source: "npm interval-tree-1d 1.0.4",
  attach(_memory, capacity) {
    const marked = new Set<Held>();
    return overIntervalTrees(capacity, () => new CenteredTree(marked));
  },
} satisfies OwnershipCompetitor;

type Interval = readonly [low: number, high: number, held: Held];

class CenteredTree implements HeldTree {
  #tree = createIntervalTree<Interval>();
  /** What was removed and is in a tree still, of all trees: sets of their own would be larger than most trees. */
  readonly #marked: Set<Held>;
  /** How many of them are in this tree. */
  #markedHere = 0;

  constructor(marked: Set<Held>) {
    this.#marked = marked;
  }

  search(low: number, high: number): Held[] {
    const found: Held[] = [];
    this.#tree.queryInterval(low, high, ([, , held]) => {
      if (!this.#marked.has(held)) found.push(held);
    });
    return found;
  }

  insert(held: Held): void {
    this.#tree.insert([held.low, held.high, held]);
  }

  remove(held: readonly Held[]): void {
    for (const one of held) this.#marked.add(one);
    this.#markedHere += held.length;
    if (2 * this.#markedHere <= this.#tree.count) return;
    const rest: Interval[] = [];
    // To delete is also to ask whether it was there.
    for (const interval of this.#tree.intervals) if (!this.#marked.delete(interval[2])) rest.push(interval);
    this.#tree = createIntervalTree(rest);
    this.#markedHere = 0;
  }
}
