import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/background-reshuffle.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: leaves the count of its reshuffles at what the word held before, which is 0 in memory that is new. */
export const breaks = "nothingIsDoneYet";

export default {
  ...honest,
  summary: "mutant: a changing order whose format leaves a count as it was",

  format(memory, setup) {
    const leftover = memory[RESHUFFLES]!;
    honest.format(memory, setup);
    memory[RESHUFFLES] = leftover;
  },
} satisfies PickCompetitor;

const RESHUFFLES = STRIDE_WORDS + 1;
