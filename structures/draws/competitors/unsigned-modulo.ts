import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The remainder of the word, read as unsigned.
 *
 * Promise: no word is rejected; the lowest 2^32 mod bound values have one word more than the others.
 * Progress: wait-free.
 * Threads: each worker draws from the words it attached.
 * Cost: one remainder of numbers up to 2^32.
 * Memory: none.
 * Limits: biased by up to bound / 2^32. Half of the words lie beyond the integers that the engine divides as such.
 * Bet: the most common idiom is the slowest mapping that never rejects, because the engine takes its remainder in
 *   floating point.
 * Source: the textbook.
 */
export default {
  summary: "remainder of the word as unsigned",
  source: "textbook",
  progress: "wait-free",
  biasBound: (bound) => bound / 2 ** 32,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    return { draw: () => (nextWord() >>> 0) % bound };
  },
} satisfies DrawsCompetitor;
