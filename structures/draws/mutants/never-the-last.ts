import honest from "../competitors/multiply-shift.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: takes the bound for inclusive and subtracts one, so that the last value never comes up. */
export const breaks = "meanIsUniform";

export default {
  ...honest,
  summary: "mutant: never draws bound - 1",
  attach: (nextWord, bound) => honest.attach(nextWord, bound > 1 ? bound - 1 : bound),
} satisfies DrawsCompetitor;
