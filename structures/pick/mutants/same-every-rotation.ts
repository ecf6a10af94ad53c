import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: an order that was shuffled once, which the source document takes for one that breaks up patterns. */
export const breaks = "patternsAreBroken";

export default {
  ...honest,
  summary: "mutant: a fixed order that claims to break up request patterns",
  breaksPatterns: true,
} satisfies PickCompetitor;
