import honest from "../competitors/unsigned-modulo.ts";
import type { DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: the remainder of the word as it comes, which is negative for every other word. */
export const breaks = "drawsAreInRange";

export default {
  ...honest,
  summary: "mutant: remainder of a signed word",
  attach: (nextWord, bound) => {
    honest.attach(nextWord, bound);
    return { draw: () => nextWord() % bound };
  },
} satisfies DrawsCompetitor;
