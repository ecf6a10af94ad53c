import honest from "../competitors/multiply-shift.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: multiply-shift without rejection that claims to be exact, one word in four thousand million notwithstanding. */
export const breaks = "biasIsWithinClaim";

export default {
  ...honest,
  summary: "mutant: rejects nothing and claims to be exact",
  biasBound: () => 0,
} satisfies DrawsCompetitor;
