import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a shuffle that writes one backend over another, so that the lap is no permutation. */
export const breaks = "lapIsPermutation";

export default {
  ...honest,
  summary: "mutant: the shuffled lap holds one backend twice",

  format(memory, setup) {
    honest.format(memory, setup);
    memory[LAP] = memory[LAP + setup.backends - 1]!;
  },
} satisfies PickCompetitor;

const LAP = STRIDE_WORDS;
