import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The oracle: the remainder of the word, unless the word is one of the last, incomplete run of remainders.
 *
 * Promise: every value has exactly floor(2^32 / bound) words; the highest 2^32 mod bound words are rejected.
 * Progress: no worker waits for another, but a draw retries until a word is accepted. Fewer than bound / 2^32 are not.
 * Threads: each worker draws from the words it attached.
 * Cost: one comparison and one remainder of numbers up to 2^32.
 * Memory: one number, the end of the last whole run.
 * Limits: the remainder is taken in floating point, as in unsigned-modulo.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook; OpenBSD's arc4random_uniform does the same with the lowest words instead of the highest.
 */
export default {
  summary: "oracle: remainder of the words below the last multiple of the bound",
  source: "textbook; OpenBSD arc4random_uniform",
  progress: "lock-free",
  biasBound: () => 0,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    const endOfWholeRuns = 2 ** 32 - (2 ** 32 % bound);
    return {
      draw() {
        let word = nextWord() >>> 0;
        while (word >= endOfWholeRuns) word = nextWord() >>> 0;
        return word % bound;
      },
    };
  },
} satisfies DrawsCompetitor;
