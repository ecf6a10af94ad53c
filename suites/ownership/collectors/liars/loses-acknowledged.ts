import sortedArrays from "../../../../structures/ownership/competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../../../../structures/ownership/ownership.contract.ts";

/** Says of each claim that it was heard, and loses one in twenty, the same ones in each collector. */
export default {
  ...sortedArrays,
  summary: "liar: loses claims that were acknowledged",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      claim: (resource, owner, start, end) =>
        (start + resource) % 20 === 0 || honest.claim(resource, owner, start, end),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "acknowledgedIsKnown";
