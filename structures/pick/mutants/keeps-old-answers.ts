import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: an answer of a backend that has one in the pool is dropped, and not the one before it. */
export const breaks = "answersAreHeard";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/hot-cold-probes.ts"), [
    "if (before !== -1) this.#drop(before);",
    "if (before !== -1) return;",
  ])),
  summary: "mutant: the first answer of a backend stays",
} satisfies PickCompetitor;
