import {
  assertEvidence,
  assertResource,
  assertTime,
  type Capacity,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type Range,
} from "../ownership.contract.ts";
import { acrossGap, addEvidence, keptRanges } from "./ranges.ts";

/**
 * A stretch that one owner claims without a gap, as interval trees take it: both ends belong to it. Or CONFLICT, for
 * one that a peer says several have claimed.
 */
export interface Held {
  readonly low: number;
  readonly high: number;
  readonly owner: number;
}

/** What a package has to give: a set of intervals that may overlap. */
export interface HeldTree {
  /** All that have a millisecond in [low, high], both included, in any order. */
  search(low: number, high: number): Held[];
  insert(held: Held): void;
  /** Removes these very objects, which must all be in the tree. */
  remove(held: readonly Held[]): void;
}

/** What the wraps of interval trees claim of themselves alike. */
export const intervalTreeClaims = {
  progress: "wait-free",
  hears: "claims",
  rule: "evidence",
  // A claim takes microseconds: it asks the tree which owners are there, and takes out and puts in what it changes.
  mostRanges: 1_000_000,
  words: () => 0,
  format() {},
} as const;

/**
 * One interval tree per resource, which holds the union of each owner's claims. Intervals of one owner neither overlap
 * nor touch; intervals of several owners may. A point in more than one interval is thus claimed by several owners. Only
 * conflicts that a peer reports are stored.
 */
export function overIntervalTrees(capacity: Capacity, newTree: () => HeldTree): Ownership {
  const trees = new Map<number, HeldTree>();
  let kept = 0;
  return {
    claim(resource, owner, start, end) {
      assertEvidence(capacity, resource, owner, start, end);
      if (end <= kept) return false;
      let tree = trees.get(resource);
      if (tree === undefined) {
        tree = newTree();
        trees.set(resource, tree);
      }
      addToUnion(tree, { low: start, high: end - 1, owner });
      return true;
    },
    ownerAt(resource, t, toleranceMs = 0) {
      assertResource(capacity, resource);
      const tree = trees.get(resource);
      // Comparisons that NaN fails, and infinity, from which no distance can be taken.
      const isKept = t >= kept && t < Number.POSITIVE_INFINITY;
      if (tree === undefined || !isKept) return NO_EVIDENCE;
      const ms = Math.floor(t);
      const known = agreed(tree.search(ms, ms));
      return known === NO_EVIDENCE && toleranceMs > 0 ? inferredAt(tree, ms, kept, toleranceMs) : known;
    },
    trim(watermark) {
      assertTime("watermark", watermark);
      if (watermark <= kept) return;
      kept = watermark;
      for (const tree of trees.values())
        tree.remove(tree.search(0, watermark - 1).filter(({ high }) => high < watermark));
    },
    rangesOf(resource) {
      assertResource(capacity, resource);
      const ranges: Range[] = [];
      for (const { low, high, owner } of trees.get(resource)?.search(kept, Number.POSITIVE_INFINITY) ?? []) {
        const claim = { start: low, end: high + 1, owner };
        if (ranges.length === 0) ranges.push(claim);
        else addEvidence(ranges, claim);
      }
      return keptRanges(ranges, kept);
    },
  };
}

function addToUnion(tree: HeldTree, claim: Held): void {
  // One millisecond further on either side finds what the claim touches, too.
  const joined = tree.search(claim.low - 1, claim.high + 1).filter(({ owner }) => owner === claim.owner);
  if (joined.some(({ low, high }) => low <= claim.low && claim.high <= high)) return;
  tree.remove(joined);
  tree.insert({
    low: Math.min(claim.low, ...joined.map(({ low }) => low)),
    high: Math.max(claim.high, ...joined.map(({ high }) => high)),
    owner: claim.owner,
  });
}

/** What the intervals that have one point say of it together. */
function agreed(held: readonly Held[]): number {
  if (held.length > 1) return CONFLICT;
  return held[0]?.owner ?? NO_EVIDENCE;
}

/** The answer at `ms`, which no interval has, from the points that are next to it on either side and have one. */
function inferredAt(tree: HeldTree, ms: number, watermark: number, toleranceMs: number): number {
  const near = tree.search(ms - toleranceMs, ms + toleranceMs);
  let last = Number.NEGATIVE_INFINITY;
  let next = Number.POSITIVE_INFINITY;
  for (const { low, high } of near) {
    if (high < ms) last = Math.max(last, high);
    else next = Math.min(next, low);
  }
  const before = agreed(near.filter(({ high }) => high === last));
  const after = agreed(near.filter(({ low }) => low === next));
  return acrossGap(
    { start: last, end: last + 1, owner: before },
    { start: next, end: next + 1, owner: after },
    watermark,
    toleranceMs,
  );
}
