import { bounded } from "../../shared/sfc32.ts";
import { assertServed, type DrawsCompetitor } from "../draws.contract.ts";

/**
 * The high word of the product of word and bound: the word read as a fraction of 2^32 and scaled.
 *
 * Promise: no word is rejected; 2^32 mod bound of the values, spread evenly, have one word more than the others.
 * Progress: wait-free.
 * Threads: each worker draws from the words it attached.
 * Cost: one multiplication, one scaling by a power of two and one rounding down, all in doubles; no division.
 * Memory: none.
 * Limits: biased by up to bound / 2^32. The product is exact up to a bound of 2^21 and no further.
 * Bet: the fastest of all that serve every bound; this is what the lab draws with.
 * Source: Lemire, "Fast Random Integer Generation in an Interval" (2019), section 3, without its rejection step.
 */
export default {
  summary: "high word of word times bound, in doubles",
  source: "Lemire (2019), without rejection",
  progress: "wait-free",
  biasBound: (bound) => bound / 2 ** 32,
  refuses: () => undefined,

  attach(nextWord, bound) {
    assertServed(bound, undefined);
    return { draw: () => bounded(nextWord(), bound) };
  },
} satisfies DrawsCompetitor;
