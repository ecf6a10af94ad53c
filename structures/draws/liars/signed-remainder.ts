import type { DrawsCompetitor } from "../draws.contract.ts";
import honest from "../unsigned-modulo.ts";

/** Liar: the remainder of the word as it comes, which is negative for every other word. */
export const breaks = "drawsAreInRange";

export default {
  ...honest,
  summary: "liar: remainder of a signed word",
  attach: (nextWord, bound) => {
    honest.attach(nextWord, bound);
    return { draw: () => nextWord() % bound };
  },
} satisfies DrawsCompetitor;
