import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import honest from "../competitors/two-choices.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts clients and looks at no counter: the first of two choices, whatever they hold. */
export const breaks = "loadsHaveASay";

export default {
  ...honest,
  summary: "mutant: two choices that take the first",

  attach(memory, slots, seat) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, seat.seed);
    const { give } = honest.attach(memory, slots, seat);
    return {
      give,
      take() {
        const slot = bounded(nextSfc32(state, 0), slots);
        Atomics.add(memory, slot, 1);
        return slot;
      },
    };
  },
} satisfies SlotsCompetitor;
