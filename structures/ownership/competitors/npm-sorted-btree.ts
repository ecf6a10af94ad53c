import { createRequire } from "node:module";
import {
  assertEvidence,
  assertResource,
  assertTime,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { acrossGap, addEvidence, keptRanges } from "../parts/ranges.ts";

/**
 * The package sorted-btree: a B+ tree per resource, from the start of a range to the range. It is sorted-arrays with a
 * tree in place of the array. One tree per resource, as its keys are compared in JavaScript on every step. A number is
 * cheaper to compare than a pair of resource and start, and needs no object for a query.
 *
 * Promise: the specification. The wrapper adds the ranges. They stay disjoint, because a claim takes out all ranges
 *   that it overlaps or touches and puts back their union with it.
 * Progress: wait-free, as nothing is shared.
 * Threads: private; a worker's replica knows the claims made through its own handle.
 * Cost: claim O(log ranges of the resource + ranges it overlaps or touches); lookup O(log ranges);
 *   trim O(resources * log ranges + ranges forgotten).
 * Memory: one Map entry and one tree per resource, whose leaves are arrays of keys and of range objects, on the heap.
 * Limits: none but the heap.
 * Bet: resources have too few ranges for a tree to be any better than an array; it is a leaf with a class around it.
 * Source: npm sorted-btree 2.1.0 (D. Piepgrass); the range map of Guava (TreeRangeMap).
 */
export default {
  summary: "sorted-btree's B+ tree from start to range, one per resource",
  source: "npm sorted-btree 2.1.0",
  progress: "wait-free",
  hears: "claims",
  rule: "evidence",
  // A claim takes microseconds: the ranges it touches are found, and taken out and put in.
  mostRanges: 1_000_000,

  words: () => 0,

  format() {},

  attach(_memory, capacity): Ownership {
    const trees = new Map<number, RangeTree>();
    let kept = 0;
    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        let tree = trees.get(resource);
        if (tree === undefined) {
          tree = new BTree<number, Range>(undefined, ascending);
          trees.set(resource, tree);
        }
        addTo(tree, { start, end, owner });
        return true;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        const tree = trees.get(resource);
        // A comparison that NaN fails: the package's own have no place for it.
        if (tree === undefined || !(t >= kept)) return NO_EVIDENCE;
        const before = startingBy(tree, t);
        if (before !== undefined && t < before.end) return before.owner;
        const after = toleranceMs > 0 ? tree.nextHigherPair(t)?.[1] : undefined;
        return after === undefined ? NO_EVIDENCE : acrossGap(before, after, kept, toleranceMs);
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark <= kept) return;
        kept = watermark;
        for (const [resource, tree] of trees) {
          // A range that reaches past the watermark stays whole, as a claim does: lookups do not ask below it.
          const last = startingBy(tree, watermark);
          if (last === undefined) continue;
          tree.deleteRange(0, last.start, last.end <= watermark);
          if (tree.isEmpty) trees.delete(resource);
        }
      },
      rangesOf(resource) {
        assertResource(capacity, resource);
        return keptRanges(trees.get(resource)?.valuesArray() ?? [], kept);
      },
    };
  },
} satisfies OwnershipCompetitor;

// The package is CommonJS with a default export, which Node leaves inside what is imported, and Bun takes out.
const { default: BTree } = createRequire(import.meta.url)("sorted-btree") as typeof import("sorted-btree");
type RangeTree = InstanceType<typeof BTree<number, Range>>;

function ascending(a: number, b: number): number {
  return a - b;
}

/** The last range that starts at `t` or before. */
function startingBy(tree: RangeTree, t: number): Range | undefined {
  return tree.getPairOrNextLower(t)?.[1];
}

function addTo(tree: RangeTree, claim: Range): void {
  // What starts with the claim comes in its range of keys; what starts before it has to reach it.
  const before = startingBy(tree, claim.start - 1);
  const first = before !== undefined && before.end >= claim.start ? before.start : claim.start;
  const touched = tree.getRange(first, claim.end, true).map(([, range]) => range);
  const [earliest] = touched;
  if (earliest === undefined) tree.set(claim.start, claim);
  else if (touched.length === 1 && earliest.start <= claim.start && earliest.owner === claim.owner)
    earliest.end = Math.max(earliest.end, claim.end);
  else {
    tree.deleteRange(first, claim.end, true);
    addEvidence(touched, claim);
    for (const range of touched) tree.set(range.start, range);
  }
}
