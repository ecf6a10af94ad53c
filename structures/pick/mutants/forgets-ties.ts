import { STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import honest from "../competitors/two-choices.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: counts a request only where one of the two choices had fewer, but every release. */
export const breaks = "inFlightIsConserved";

export default {
  ...honest,
  summary: "mutant: two choices that forget to count when both are alike",

  attach(memory, setup, seat) {
    const { release } = honest.attach(memory, setup, seat);
    const random = new Random(setup.seed, seat.seed);
    return {
      release,
      pick() {
        const [first, second] = [random.below(setup.backends), random.below(setup.backends)];
        const [of, against] = [memory[first * STRIDE_WORDS]!, memory[second * STRIDE_WORDS]!];
        const chosen = against < of ? second : first;
        if (of !== against) Atomics.add(memory, chosen * STRIDE_WORDS, 1);
        return chosen;
      },
    };
  },
} satisfies PickCompetitor;
