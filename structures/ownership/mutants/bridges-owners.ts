import sortedArrays from "../competitors/sorted-arrays.ts";
import { inferred, NO_EVIDENCE, type Ownership, type OwnershipCompetitor } from "../ownership.contract.ts";

/** Bridges every short gap with the owner before it, also where another owner comes after it. */
export default {
  ...sortedArrays,
  summary: "mutant: a short gap belongs to the owner before it, even if another comes next",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      ownerAt(resource, t, toleranceMs = 0) {
        const known = honest.ownerAt(resource, t);
        const ranges = honest.rangesOf(resource);
        const before = ranges.findLast(({ end }) => end <= t);
        const after = ranges.find(({ start }) => start > t);
        const isShort =
          before !== undefined && after !== undefined && after.start - before.end <= toleranceMs;
        return known === NO_EVIDENCE && isShort && before.owner >= 0 ? inferred(before.owner) : known;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "gapsAreBridged";
