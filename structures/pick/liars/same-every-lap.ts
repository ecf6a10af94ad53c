import type { PickCompetitor } from "../pick.contract.ts";
import honest from "../shuffled-round-robin.ts";

/** Liar: an order that was shuffled once, which the source document takes for one that breaks up patterns. */
export const breaks = "patternsAreBroken";

export default {
  ...honest,
  summary: "liar: a fixed order that claims to break up request patterns",
  breaksPatterns: true,
} satisfies PickCompetitor;
