import {
  assertEvidence,
  assertResource,
  assertTime,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
  type Range,
} from "../ownership.contract.ts";
import { addEvidence, answerAt, firstEndingAfter, keptRanges } from "../parts/ranges.ts";

/**
 * A Map from resource to a sorted array of disjoint range objects: what one writes first.
 *
 * Promise: the specification; touching ranges of one owner are joined, so the arrays stay as short as the history.
 * Progress: wait-free, as nothing is shared.
 * Threads: private. A worker's replica does not see another worker's claims; to ask about them, a worker must be sent
 *   the claims and make them itself.
 * Cost: claim O(1) at or after the end of the last range, or prolonging it, else O(ranges of the resource). Lookup
 *   O(log ranges). Trim O(resources + ranges forgotten).
 * Memory: one Map entry, one array and one object per range on the heap of every worker that holds a replica.
 * Limits: none but the heap.
 * Bet: the plain version loses to flat arrays by what the Map and the pointers cost, not by its algorithm.
 * Source: the range map of Guava (TreeRangeMap), with a sorted array in place of the tree.
 */
export default {
  summary: "Map of resource to sorted array of range objects, a private replica per worker",
  source: "Guava TreeRangeMap, on sorted arrays",
  progress: "wait-free",
  hears: "claims",
  rule: "evidence",

  words: () => 0,

  format() {},

  attach(_memory, capacity): Ownership {
    const rangesOf = new Map<number, Range[]>();
    let kept = 0;
    return {
      claim(resource, owner, start, end) {
        assertEvidence(capacity, resource, owner, start, end);
        if (end <= kept) return false;
        const ranges = rangesOf.get(resource);
        if (ranges === undefined) rangesOf.set(resource, [{ start, end, owner }]);
        else addEvidence(ranges, { start, end, owner });
        return true;
      },
      ownerAt(resource, t, toleranceMs = 0) {
        assertResource(capacity, resource);
        const ranges = rangesOf.get(resource);
        return ranges === undefined || t < kept ? NO_EVIDENCE : answerAt(ranges, t, kept, toleranceMs);
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
      rangesOf(resource) {
        assertResource(capacity, resource);
        return keptRanges(rangesOf.get(resource) ?? [], kept);
      },
    };
  },
} satisfies OwnershipCompetitor;
