import type { DrawsCompetitor } from "../draws.contract.ts";
import honest from "../power-of-two-mask.ts";

/** Liar: serves no bound at all, and so breaks no promise about any. */
export const breaks = "powersOfTwoAreServed";

export default {
  ...honest,
  summary: "liar: refuses every bound",
  refuses: () => "serves nothing",
} satisfies DrawsCompetitor;
