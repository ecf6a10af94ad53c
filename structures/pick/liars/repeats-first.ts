import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import honest from "../shuffled-round-robin.ts";

/** Liar: a shuffle that writes one backend over another, so that the lap is no permutation. */
export const breaks = "lapIsPermutation";

export default {
  ...honest,
  summary: "liar: the shuffled lap holds one backend twice",

  format(memory, setup) {
    honest.format(memory, setup);
    memory[LAP] = memory[LAP + setup.backends - 1]!;
  },
} satisfies PickCompetitor;

const LAP = STRIDE_WORDS;
