import honest from "../competitors/lemire.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: draws once and counts from there. Each value comes as often as any other, and each is known in advance. */
export const breaks = "drawsAreIndependent";

export default {
  ...honest,
  summary: "mutant: counts up from a draw",

  attach(nextWord, bound) {
    const { draw } = honest.attach(nextWord, bound);
    let next = draw();
    return {
      draw() {
        next = next + 1 === bound ? 0 : next + 1;
        return next;
      },
    };
  },
} satisfies DrawsCompetitor;
