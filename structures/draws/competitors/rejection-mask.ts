import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * As many low bits as the bound needs, again until they are below it.
 *
 * Promise: every value has exactly 2^32 / 2^k words, where 2^k is the first power of two not below the bound.
 * Progress: no worker waits for another, but a draw retries until a word is accepted. Fewer than half are not.
 * Threads: each worker draws from the words it attached.
 * Cost: a mask and a comparison per word, and up to two words per draw on average; no multiplication or division.
 * Memory: one number, the mask.
 * Limits: slowest just above a power of two. The rejections are random, so the branch is mispredicted as often as the
 *   bound makes it. It uses only the low bits, which are the weak ones of some generators.
 * Bet: cheap below a power of two (7 of 8) and at one, beaten by lemire everywhere else.
 * Source: Apple's arc4random_uniform; O'Neill, "Efficiently Generating a Number in a Range" (2018), bitmask with
 *   rejection.
 */
export default {
  summary: "low bits under the next power of two, rejected from the bound up",
  source: "Apple arc4random_uniform; O'Neill (2018), bitmask with rejection",
  progress: "lock-free",
  biasBound: () => 0,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    const mask = 2 ** (32 - Math.clz32(bound - 1)) - 1;
    return {
      draw() {
        let value = nextWord() & mask;
        while (value >= bound) value = nextWord() & mask;
        return value;
      },
    };
  },
} satisfies DrawsCompetitor;
