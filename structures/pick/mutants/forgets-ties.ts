import { mutated } from "../../shared/mutated.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: counts a request only where one of the two choices had fewer, but every release. */
export const breaks = "inFlightIsConserved";

export default {
  ...(await mutated<PickCompetitor>(import.meta.resolve("../competitors/two-choices.ts"), [
    "Atomics.add(",
    "if (memory[second * STRIDE_WORDS] !== memory[first * STRIDE_WORDS]) Atomics.add(",
  ])),
  summary: "mutant: two choices that forget to count when both are alike",
} satisfies PickCompetitor;
