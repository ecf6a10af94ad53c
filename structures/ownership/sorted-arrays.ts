import {
  assertClaim,
  assertResource,
  assertTime,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";

/**
 * A Map from resource to a sorted array of disjoint range objects: what one writes first.
 *
 * Promise: the specification; touching ranges of one owner are joined, so the arrays stay as short as the history.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. A worker's replica does not see another worker's claims; to ask about them, a worker must be sent
 *   the claims and make them itself.
 * Cost: claim O(1) at or after the start of the last range, else O(ranges of the resource); lookup O(log ranges);
 *   trim O(resources + ranges forgotten).
 * Memory: one Map entry, one array and one object per range on the heap of every worker that holds a replica.
 * Limits: none but the heap.
 * Bet: the plain version loses to flat arrays by what the Map and the pointers cost, not by its algorithm.
 * Source: the range map of Guava (TreeRangeMap), with a sorted array in place of the tree.
 */
export default {
  summary: "Map of resource to sorted array of range objects, a private replica per worker",
  source: "Guava TreeRangeMap, on sorted arrays",
  progress: "wait-free",

  words: () => 0,

  format() {},

  attach(_memory, capacity): Ownership {
    const rangesOf = new Map<number, Range[]>();
    let kept = 0;
    return {
      claim(resource, owner, start, end) {
        assertClaim(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        const ranges = rangesOf.get(resource);
        if (ranges === undefined) rangesOf.set(resource, [{ start, end, owner }]);
        else addEvidence(ranges, { start, end, owner });
        return true;
      },
      ownerAt(resource, t) {
        assertResource(capacity, resource);
        const ranges = rangesOf.get(resource);
        if (t < kept || ranges === undefined) return NO_EVIDENCE;
        const range = ranges[firstEndingAfter(ranges, t)];
        return range !== undefined && range.start <= t ? range.owner : NO_EVIDENCE;
      },
      trim(watermark) {
        assertTime("watermark", watermark);
        if (watermark <= kept) return;
        kept = watermark;
        for (const [resource, ranges] of rangesOf) {
          // A range that reaches past the watermark stays whole, as a claim does: lookups do not ask below it.
          const forgotten = firstEndingAfter(ranges, watermark);
          if (forgotten === ranges.length) rangesOf.delete(resource);
          else if (forgotten > 0) ranges.splice(0, forgotten);
        }
      },
    };
  },
} satisfies OwnershipCompetitor;

/** A stretch with one answer: an owner, or CONFLICT. What is in no range has no evidence. */
interface Range {
  start: number;
  end: number;
  owner: number;
}

function addEvidence(ranges: Range[], claim: Range): void {
  const last = ranges[ranges.length - 1]!;
  // In-order claims end here: one that continues the last range, and one that begins after it.
  if (claim.start >= last.start && claim.start <= last.end && claim.owner === last.owner)
    last.end = Math.max(last.end, claim.end);
  else if (claim.start >= last.end) ranges.push(claim);
  else merge(ranges, claim);
}

/**
 * Replaces the ranges that overlap or touch the claim by themselves and the claim laid over each other. Touching
 * ones take part so that equal neighbours join.
 */
function merge(ranges: Range[], claim: Range): void {
  const first = firstEndingAfter(ranges, claim.start - 1);
  let past = first;
  const laid: Range[] = [];
  let covered = claim.start;
  for (; past < ranges.length && ranges[past]!.start <= claim.end; past++) {
    const range = ranges[past]!;
    const overlapStart = Math.max(range.start, claim.start);
    const overlapEnd = Math.min(range.end, claim.end);
    lay(laid, range.start, claim.start, range.owner);
    lay(laid, covered, range.start, claim.owner);
    lay(laid, overlapStart, overlapEnd, range.owner === claim.owner ? claim.owner : CONFLICT);
    lay(laid, Math.max(range.start, claim.end), range.end, range.owner);
    covered = overlapEnd;
  }
  // What the last range leaves of the claim comes after all of it, unless that range outlasts the claim.
  lay(laid, covered, claim.end, claim.owner);
  ranges.splice(first, past - first, ...laid);
}

/** Appends [start, end) to what is laid, joining it to an equal neighbour; nothing if it is empty. */
function lay(laid: Range[], start: number, end: number, owner: number): void {
  if (start >= end) return;
  const before = laid[laid.length - 1];
  if (before !== undefined && before.end === start && before.owner === owner) before.end = end;
  else laid.push({ start, end, owner });
}

/** Index of the first range with end > t; ranges.length if there is none. */
function firstEndingAfter(ranges: readonly Range[], t: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.end > t) high = middle;
    else low = middle + 1;
  }
  return low;
}
