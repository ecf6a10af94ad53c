import createIntervalTree from "interval-tree-1d";
import type { OwnershipCompetitor } from "../ownership.contract.ts";
import { type Held, type HeldTree, intervalTreeClaims, overIntervalTrees } from "../parts/interval-trees.ts";

/**
 * The package interval-tree-1d, a centered interval tree per resource: each node has a midpoint and the intervals that
 * contain it, sorted by either end.
 *
 * Promise: the specification. The wrap adds what no interval tree has: one owner's intervals are joined before they are
 *   stored, [start, end) is stored as the milliseconds start to end - 1, and a point of several owners is a conflict.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(log n) amortised: what it joins is marked, and left out when the resource's tree is built again because
 *   most of it is marked. Lookup O(log n + marked intervals it finds); trim O(resources * log n), and amortised O(log n)
 *   per interval forgotten.
 * Memory: one Map entry and one tree per resource, two objects per interval and up to one node with two arrays, on the
 *   heap; as many intervals again may be marked, each with an entry of one Set.
 * Limits: 2^24 marked intervals in all trees, which is what a Set takes; and the heap.
 * Bet: the quickest of the interval trees to ask, as a node answers without looking at each interval; what it cannot
 *   remove takes that back, because most claims prolong a range and so replace an interval.
 * Source: npm interval-tree-1d 1.0.4 (M. Lysenko). Its `remove` is not used, because it loses intervals: where it puts
 *   the rightmost node of the left side in the place of a node that has two children, intervals that stay on the left
 *   may reach past the new midpoint, and are not found there any more. It also miscounts (its issue 17).
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
