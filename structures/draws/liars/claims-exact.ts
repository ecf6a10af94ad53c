import type { DrawsCompetitor } from "../draws.contract.ts";
import honest from "../multiply-shift.ts";

/** Liar: multiply-shift without rejection that claims to be exact, one word in four thousand million notwithstanding. */
export const breaks = "biasIsWithinClaim";

export default {
  ...honest,
  summary: "liar: rejects nothing and claims to be exact",
  biasBound: () => 0,
} satisfies DrawsCompetitor;
