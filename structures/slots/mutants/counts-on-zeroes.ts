import honest from "../competitors/two-choices.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: leaves its counters at what the words held before, which is 0 in memory that is new. */
export const breaks = "emptyAtFirst";

export default {
  ...honest,
  summary: "mutant: counters that format leaves as they were",
  format() {},
} satisfies SlotsCompetitor;
