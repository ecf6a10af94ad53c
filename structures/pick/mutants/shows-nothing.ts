import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: claims a round robin and shows nothing by which it could be held to that. */
export const breaks = "workIsShown";

export default {
  ...honest,
  summary: "mutant: an inspection that tells nothing",
  inspect: () => ({}),
} satisfies PickCompetitor;
