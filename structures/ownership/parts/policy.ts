import {
  assertClaim,
  assertResource,
  assertTime,
  type Capacity,
  NO_EVIDENCE,
  type Ownership,
  type Range,
} from "../ownership.contract.ts";
import { answerAt, firstEndingAfter, keptRanges } from "./ranges.ts";

/** What a policy makes of one more claim of a resource: changes its sorted, disjoint ranges, at least one, in place. */
export type Hear = (ranges: Range[], claim: Range) => void;

/** What the policies claim of themselves alike. */
export const policyClaims = {
  progress: "wait-free",
  hears: "claims",
  words: () => 0,
  format() {},
} as const;

/**
 * A Map from resource to a sorted array of disjoint range objects, under a rule that answers wherever it heard a claim.
 * `assertHeard` throws the RangeErrors of `claim`: policies hear of owners only.
 */
export function policyReplica(capacity: Capacity, hear: Hear, assertHeard = assertClaim): Ownership {
  const rangesOf = new Map<number, Range[]>();
  let kept = 0;
  return {
    claim(resource, owner, start, end) {
      assertHeard(capacity, resource, owner, start, end);
      if (end <= kept) return false;
      const ranges = rangesOf.get(resource);
      if (ranges === undefined) rangesOf.set(resource, [{ start, end, owner }]);
      else hear(ranges, { start, end, owner });
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
      for (const ranges of rangesOf.values()) {
        // The last range stays, though no lookup can see it: under the rule `trailing` a claim may yet prolong it to
        // here.
        const forgotten = Math.min(firstEndingAfter(ranges, watermark), ranges.length - 1);
        if (forgotten > 0) ranges.splice(0, forgotten);
      }
    },
    rangesOf(resource) {
      assertResource(capacity, resource);
      return keptRanges(rangesOf.get(resource) ?? [], kept);
    },
  };
}
