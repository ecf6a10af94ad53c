import honest from "../competitors/rejection-mask.ts";
import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * Mutant: bounds its retries by taking the remainder of the second word, come what may. Each word alone is mapped or
 * rejected as it should be; the draws that needed a second favour the low values.
 */
export const breaks = "drawsFollowWords";

export default {
  ...honest,
  summary: "mutant: rejects one word and no more",

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    const mask = 2 ** (32 - Math.clz32(bound - 1)) - 1;
    return {
      draw() {
        const value = nextWord() & mask;
        return value < bound ? value : (nextWord() & mask) % bound;
      },
    };
  },
} satisfies DrawsCompetitor;
