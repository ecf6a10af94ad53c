import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";
import sortedArrays from "../sorted-arrays.ts";

/**
 * Takes a claim's end as its last millisecond, so that it owns one millisecond it was never told of, and a change of
 * owner without a gap becomes a conflict.
 */
export default {
  ...sortedArrays,
  summary: "liar: reads [start, end) as if it included end",

  attach(memory, capacity): Ownership {
    const { claim, ownerAt, trim } = sortedArrays.attach(memory, capacity);
    return {
      claim: (resource, owner, start, end) => claim(resource, owner, start, end + 1),
      ownerAt,
      trim,
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "answersFollowEvidence";
