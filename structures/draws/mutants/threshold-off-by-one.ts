import { bounded } from "../../shared/sfc32.ts";
import honest from "../competitors/lemire.ts";
import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/** Mutant: takes the threshold from the largest word, 2^32 - 1, instead of from the number of words. */
export const breaks = "biasIsWithinClaim";

export default {
  ...honest,
  summary: "mutant: lemire with the threshold one too low",

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    const threshold = 0xffffffff % bound;
    return {
      draw() {
        let word = nextWord();
        while (Math.imul(word, bound) >>> 0 < threshold) word = nextWord();
        return bounded(word, bound);
      },
    };
  },
} satisfies DrawsCompetitor;
