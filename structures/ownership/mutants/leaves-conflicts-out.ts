import sortedArrays from "../competitors/sorted-arrays.ts";
import { CONFLICT, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/**
 * Tells only what belongs to somebody, so that what is rebuilt from it has forgotten where owners contradicted each
 * other, and believes the next one who claims that.
 */
export default {
  ...sortedArrays,
  summary: "mutant: ranges without the conflicts",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      rangesOf: (resource) => honest.rangesOf(resource).filter(({ owner }) => owner !== CONFLICT),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "rebuiltIsTheSame";
