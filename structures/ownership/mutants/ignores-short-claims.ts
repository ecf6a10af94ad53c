import sortedArrays from "../competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";

/** Finds claims of a millisecond too short to matter, so that a stretch claimed in small pieces is lost. */
export default {
  ...sortedArrays,
  summary: "mutant: claims of a single millisecond are ignored",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      claim: (resource, owner, start, end) => end - start === 1 || honest.claim(resource, owner, start, end),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "splittingChangesNothing";
