import honest from "../competitors/locked-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: claims that shares follow the weights and gives every backend the same. */
export const breaks = "sharesFollowWeights";

export default {
  ...honest,
  summary: "mutant: a plain round robin that claims to honour weights",
  order: "weighted",
  shareBound: () => 1,
} satisfies PickCompetitor;
