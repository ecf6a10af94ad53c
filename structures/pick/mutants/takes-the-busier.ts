import { STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import honest from "../competitors/two-choices.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: of two backends it takes the one with more requests in flight, a comparison the wrong way round. */
export const breaks = "loadsAreSpread";

export default {
  ...honest,
  summary: "mutant: the busier of two random backends",

  attach(memory, setup, seat) {
    const { backends, seed } = setup;
    const random = new Random(seed, seat.seed);
    return {
      ...honest.attach(memory, setup, seat),
      pick() {
        const first = random.below(backends);
        const second = random.below(backends);
        const chosen = memory[second * STRIDE_WORDS]! > memory[first * STRIDE_WORDS]! ? second : first;
        Atomics.add(memory, chosen * STRIDE_WORDS, 1);
        return chosen;
      },
    };
  },
} satisfies PickCompetitor;
