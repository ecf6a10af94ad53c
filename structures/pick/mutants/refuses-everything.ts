import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: serves no setup, so that there is nothing to hold against it. */
export const breaks = "equalBackendsAreServed";

export default {
  ...honest,
  summary: "mutant: a round robin that refuses every number of backends",
  refuses: () => "not today",
} satisfies PickCompetitor;
