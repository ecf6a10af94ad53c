import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The low bits of the word, for bounds that are a power of two.
 *
 * Promise: every value has exactly 2^32 / bound words; no word is rejected.
 * Progress: wait-free.
 * Threads: each worker draws from the words it attached.
 * Cost: one mask.
 * Memory: one number, the mask.
 * Limits: powers of two only. It looks only at the low bits, which are the weak ones of some generators.
 * Bet: the lower bound of all mappings; a caller who may choose the bound saves the rest by choosing a power of two.
 * Source: the textbook.
 */
export default {
  summary: "low bits, for powers of two only",
  source: "textbook",
  progress: "wait-free",
  biasBound: () => 0,
  refuses: refusal,

  attach(nextWord, bound) {
    assertServed(bound, refusal(bound));
    const mask = bound - 1;
    return { draw: () => nextWord() & mask };
  },
} satisfies DrawsCompetitor;

function refusal(bound: number): string | undefined {
  return (bound & (bound - 1)) === 0 ? undefined : "serves powers of two only";
}
