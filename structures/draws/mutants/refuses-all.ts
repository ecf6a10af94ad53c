import honest from "../competitors/power-of-two-mask.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: serves no bound at all, and so breaks no promise about any. */
export const breaks = "powersOfTwoAreServed";

export default {
  ...honest,
  summary: "mutant: refuses every bound",
  refuses: () => "serves nothing",
} satisfies DrawsCompetitor;
