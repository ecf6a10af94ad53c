import type { SlotsCompetitor } from "../slots.contract.ts";
import honest from "../two-choices.ts";

/** Liar: leaves its counters at what the words held before, which is 0 in memory that is new. */
export const breaks = "emptyAtFirst";

export default {
  ...honest,
  summary: "liar: counters that format leaves as they were",
  format() {},
} satisfies SlotsCompetitor;
