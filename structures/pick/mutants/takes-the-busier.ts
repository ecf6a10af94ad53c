import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: of two backends it takes the one with more requests in flight, a comparison the wrong way round. */
export const breaks = "loadsAreSpread";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/two-choices.ts"), [
    "memory[second * STRIDE_WORDS]! <",
    "memory[second * STRIDE_WORDS]! >",
  ])),
  summary: "mutant: the busier of two random backends",
} satisfies PickCompetitor;
