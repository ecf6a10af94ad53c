import { mutated } from "../../shared/mutated.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts clients and looks at no counter: the first of two choices, whatever they hold. */
export const breaks = "loadsHaveASay";

export default {
  ...(await mutated<SlotsCompetitor>(import.meta.resolve("../competitors/two-choices.ts"), [
    "memory[second]! < memory[first]! ? second : first",
    "first",
  ])),
  summary: "mutant: two choices that take the first",
} satisfies SlotsCompetitor;
