import sortedArrays from "../competitors/sorted-arrays.ts";
import type { Ownership, OwnershipCompetitor } from "../ownership.contract.ts";

/** Trims whole ranges: one that the watermark falls into is dropped with what it says of kept time. */
export default {
  ...sortedArrays,
  summary: "mutant: drops the ranges that reach past the watermark",

  attach(memory, capacity): Ownership {
    let honest = sortedArrays.attach(memory, capacity);
    let kept = 0;
    return {
      claim: (resource, owner, start, end) => honest.claim(resource, owner, start, end),
      ownerAt: (resource, t, toleranceMs) => honest.ownerAt(resource, t, toleranceMs),
      rangesOf: (resource) => honest.rangesOf(resource),
      trim(watermark) {
        if (watermark <= kept) return;
        kept = watermark;
        const rest = sortedArrays.attach(memory, capacity);
        rest.trim(watermark);
        for (let resource = 0; resource < capacity.resources; resource++)
          for (const { start, end, owner } of honest.rangesOf(resource))
            if (start >= watermark) rest.claim(resource, owner, start, end);
        honest = rest;
      },
    };
  },
} satisfies OwnershipCompetitor;

export const breaks = "answersFollowClaims";
