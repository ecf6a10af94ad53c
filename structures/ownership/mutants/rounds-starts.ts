import sortedArrays from "../competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";

/** Keeps starts to two milliseconds, to save a bit; all is well as long as the tests use even times. */
export default {
  ...sortedArrays,
  summary: "mutant: starts are rounded down to even milliseconds",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      claim: (resource, owner, start, end) => honest.claim(resource, owner, start - (start % 2), end),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "shiftMovesAnswers";
