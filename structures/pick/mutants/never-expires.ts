import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: drops answers to make room, and none for its age. */
export const breaks = "answersAreFresh";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "while (this.size > 0 && this.#answers[0]!.heardMs < ms) this.#drop(0);",
    "",
  ])),
  summary: "mutant: answers of any age",
} satisfies PickCompetitor;
