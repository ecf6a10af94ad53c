import honest from "../competitors/per-worker-random.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: formats for whatever it is told. */
export const breaks = "badInputIsRefused";

export default {
  ...honest,
  summary: "mutant: nothing is out of range",
  format() {},
} satisfies SlotsCompetitor;
