import type { PickCompetitor } from "../pick.contract.ts";
import honest from "../shuffled-round-robin.ts";

/** Liar: claims a round robin and shows nothing by which it could be held to that. */
export const breaks = "workIsShown";

export default {
  ...honest,
  summary: "liar: an inspection that tells nothing",
  inspect: () => ({}),
} satisfies PickCompetitor;
