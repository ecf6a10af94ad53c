import sortedArrays from "../competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";

/** Tells what it knows in halves, and leaves it to the caller to see that they touch. */
export default {
  ...sortedArrays,
  summary: "mutant: ranges of one owner that touch, kept apart",

  attach(memory, capacity): Ownership {
    const honest = sortedArrays.attach(memory, capacity);
    return {
      ...honest,
      rangesOf: (resource) =>
        honest.rangesOf(resource).flatMap(({ start, end, owner }) => {
          const middle = Math.ceil((start + end) / 2);
          const halves = [
            { start, end: middle, owner },
            { start: middle, end, owner },
          ];
          return halves.filter((half) => half.start < half.end);
        }),
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "rangesAreTheAnswers";
