import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: independent random picks that claim the gap of a round robin. */
export const breaks = "gapIsBounded";

export default {
  ...honest,
  summary: "mutant: random picks that claim a gap of 1",
  gapBound: () => 1,
} satisfies PickCompetitor;
