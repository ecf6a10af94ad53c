import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The remainder of the word's lower 31 bits.
 *
 * Promise: no word is rejected; the lowest 2^31 mod bound values have two words more than the others.
 * Progress: wait-free.
 * Threads: each worker draws from the words it attached.
 * Cost: a mask and one integer remainder.
 * Memory: none.
 * Limits: biased by up to bound / 2^31, twice as much as with the whole word.
 * Bet: the bit given up buys an integer division, which is worth far more than the bias costs.
 * Source: the usual cure for a counter or hash that turns negative, `& Integer.MAX_VALUE` in Java.
 */
export default {
  summary: "remainder of the lower 31 bits",
  source: "textbook; Java's & Integer.MAX_VALUE",
  progress: "wait-free",
  biasBound: (bound) => bound / 2 ** 31,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    return { draw: () => (nextWord() & 0x7fffffff) % bound };
  },
} satisfies DrawsCompetitor;
