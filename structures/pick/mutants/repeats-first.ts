import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a shuffle that writes one backend over another, so that the rotation is no permutation. */
export const breaks = "rotationIsPermutation";

export default {
  ...honest,
  summary: "mutant: the shuffled rotation holds one backend twice",

  format(memory, setup) {
    honest.format(memory, setup);
    memory[ROTATION] = memory[ROTATION + setup.backends - 1]!;
  },
} satisfies PickCompetitor;

const ROTATION = STRIDE_WORDS;
