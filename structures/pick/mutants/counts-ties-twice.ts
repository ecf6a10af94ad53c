import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: counts a request twice where neither of the two choices had fewer, but every release once. */
export const breaks = "inFlightIsConserved";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/two-choices.ts"), [
    "Atomics.add(memory, chosen * STRIDE_WORDS, 1)",
    "Atomics.add(memory, chosen * STRIDE_WORDS, memory[second * STRIDE_WORDS] === memory[first * STRIDE_WORDS] ? 2 : 1)",
  ])),
  summary: "mutant: two choices that count twice when both are alike",
} satisfies PickCompetitor;
