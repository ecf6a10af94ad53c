import sortedArrays from "../../../../structures/ownership/competitors/sorted-arrays.ts";
import {
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "../../../../structures/ownership/ownership.contract.ts";

/** Where a point is unclaimed, names the owner that was claimed last. */
export default {
  ...sortedArrays,
  summary: "liar: guesses the last owner where it knows nothing",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    const lastOwners = new Map<number, number>();
    return {
      ...honest,
      claim(resource, owner, start, end) {
        lastOwners.set(resource, owner);
        return honest.claim(resource, owner, start, end);
      },
      ownerAt(resource, t) {
        const known = honest.ownerAt(resource, t);
        return known === NO_EVIDENCE ? (lastOwners.get(resource) ?? known) : known;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "nobodyIsBlamedWrongly";
