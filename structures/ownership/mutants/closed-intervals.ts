import sortedArrays from "../competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Takes a claim's end as its last millisecond, so that an owner has one millisecond too many, and a change of
 * owner without a gap becomes a conflict.
 */
export default {
  ...sortedArrays,
  summary: "mutant: reads [start, end) as if it included end",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      claim: (resource, owner, start, end) => honest.claim(resource, owner, start, end + 1),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "answersFollowClaims";
