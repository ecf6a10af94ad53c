import honest from "../competitors/versioned-table.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: adds and drains as asked, and takes every other weight for 1. */
export const breaks = "sharesFollowWeights";

export default {
  ...honest,
  summary: "mutant: a change of weight changes nothing",

  members(memory, setup) {
    const members = honest.members(memory, setup);
    return {
      ...members,
      change(weights) {
        members.change(Array.from(weights, ([backend, weight]) => [backend, Math.min(1, weight)]));
      },
    };
  },
} satisfies PickCompetitor;
