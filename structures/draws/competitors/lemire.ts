import { bounded } from "../../shared/sfc32.ts";
import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The high word of the product of word and bound, unless the low word shows that this value has had its share.
 *
 * Promise: every value has exactly floor(2^32 / bound) words; the other 2^32 mod bound words are rejected.
 * Progress: no worker waits for another, but a draw retries until a word is accepted. Fewer than bound / 2^32 are not.
 * Threads: each worker draws from the words it attached.
 * Cost: multiply-shift, and an integer multiplication and a comparison for the low word.
 * Memory: one number, the threshold.
 * Limits: how many words a draw takes is not bounded, so draws and words cannot be counted off against each other.
 * Bet: exactness costs about as much again as multiply-shift itself, the comparison being always predicted.
 * Source: Lemire, "Fast Random Integer Generation in an Interval" (2019), algorithm 5. The original computes the
 *   threshold only when the low word is below the bound, because the bound may change from call to call. Here it is
 *   fixed, so the threshold is computed once and each low word is compared with it.
 */
export default {
  summary: "multiply-shift that rejects the surplus words, threshold worked out once",
  source: "Lemire (2019), algorithm 5",
  progress: "lock-free",
  biasBound: () => 0,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    // Words that share a high word have low words `bound` apart. A low word below 2^32 mod bound therefore marks the
    // first of floor(2^32 / bound) + 1 words, the surplus one. A value with just floor(2^32 / bound) words has no such
    // mark.
    const threshold = 2 ** 32 % bound;
    return {
      draw() {
        let word = nextWord();
        while (Math.imul(word, bound) >>> 0 < threshold) word = nextWord();
        return bounded(word, bound);
      },
    };
  },
} satisfies DrawsCompetitor;
