import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: starts every cycle one backend further on. That breaks up the patterns of one rotation, but after as many
 * cycles as there are backends the order is the same again.
 */
export const breaks = "patternsAreBroken";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/rotating-round-robin.ts"), [
    "bounded(hashed(cycle ^ salt), backends)",
    "cycle % backends",
  ])),
  summary: "mutant: an order rotated by one every cycle, said to break up request patterns",
} satisfies PickCompetitor;
