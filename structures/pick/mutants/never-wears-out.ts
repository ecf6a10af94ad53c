import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: an answer serves any number of picks. */
export const breaks = "answersWearOut";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "if (used.uses === 0) this.#drop(best);",
    "",
  ])),
  summary: "mutant: answers have no budget",
} satisfies PickCompetitor;
