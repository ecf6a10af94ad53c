import honest from "../locked-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Liar: claims that shares follow the weights and gives every backend the same. */
export const breaks = "sharesFollowWeights";

export default {
  ...honest,
  summary: "liar: a plain round robin that claims to honour weights",
  order: "weighted",
  shareBound: () => 1,
} satisfies PickCompetitor;
