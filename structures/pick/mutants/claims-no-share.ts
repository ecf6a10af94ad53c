import type { PickCompetitor } from "../pick.contract.ts";
import honest from "./ignores-weights.ts";

/** Mutant: ignores weights, and claims no bound that would show it. */
export const breaks = "noWorseThanChance";

export default {
  ...honest,
  summary: "mutant: a plain round robin that claims to honour weights to within anything",
  shareBound: () => Number.POSITIVE_INFINITY,
} satisfies PickCompetitor;
