import { STRIDE_WORDS } from "../../shared/layout.ts";
import { bounded } from "../../shared/sfc32.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * One random generator for all workers without a lock: its state is one word, moved on by compare-exchange.
 *
 * Promise: every pick is the next draw of one sequence; uniform to within 2^-32 per backend.
 * Progress: lock-free: a failed compare-exchange means that another worker's succeeded.
 * Threads: any worker that attached.
 * Cost: one plain load and one compareExchange per attempt; attempts grow with contention. Three multiplications.
 * Memory: one stride.
 * Limits: a state of 32 bits, all that a compare-exchange of int32 words can move. The sequence repeats after 2^32
 *   picks, and holds each 32-bit number once until then. Seeds only start it elsewhere, so that two balancers follow
 *   the same sequence at a distance. Counts per backend differ by about the root of the picks.
 * Bet: faster than any lock around a generator, slower than a hash of a fetch-and-add, which cannot fail.
 * Source: java.util.Random, whose next() is a compareAndSet loop over an AtomicLong. The generator is O'Neill's PCG
 *   with 32 bits of state, RXS M XS. ("PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
 *   Random Number Generation", 2014.) The low bits of a bare linear congruential generator are not random.
 *
 *     word 0   state   of the generator   every worker: written atomically, read plainly
 */
export default {
  summary: "one shared PCG generator of 32 bits, moved on by compare-exchange",
  source: "java.util.Random; O'Neill, PCG (2014)",
  progress: "lock-free",
  order: "random",
  breaksPatterns: true,
  tickets: "linearizable",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: false,

  words: () => STRIDE_WORDS,

  format(memory, { seed }) {
    Atomics.store(memory, STATE, firstState(seed));
  },

  attach(memory, { backends }) {
    let casFailures = 0;
    return {
      pick() {
        // A plain load: a stale state only makes the compareExchange fail, which then returns the current one. Where
        //   the
        // state went once round in between (ABA), what follows it is what followed it then.
        let state = memory[STATE]!;
        for (;;) {
          const seen = Atomics.compareExchange(memory, STATE, state, stateAfter(state));
          if (seen === state) return bounded(permuted(state), backends);
          casFailures++;
          state = seen;
        }
      },
      counters: () => ({ casFailures }),
    };
  },

  inspect: (memory, { seed }) => ({
    handedOut: { count: stepsBetween(firstState(seed), Atomics.load(memory, STATE)), modulo: 2 ** 32 },
  }),
} satisfies PickCompetitor;

const STATE = 0;

/** O'Neill's constants for a state of 32 bits. With these a state comes back after 2^32 steps and not before. */
const MULTIPLIER = 747_796_405;
const INCREMENT = 2_891_336_453 | 0;

function stateAfter(state: number): number {
  return (Math.imul(state, MULTIPLIER) + INCREMENT) | 0;
}

/** As PCG seeds: a step from 0, the seed added, another step. */
function firstState(seed: number): number {
  return stateAfter((stateAfter(0) + seed) | 0);
}

/** RXS M XS: shifts by as much as the top bits say, multiplies, and shifts again; a permutation of 32 bits. */
function permuted(state: number): number {
  const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277_803_737);
  return (word >>> 22) ^ word;
}

/**
 * How many steps lead from one state to another, 0 .. 2^32 - 1, found bit by bit as PCG's `distance` does. The lowest b
 * bits of the state are a generator of their own with a period of 2^b. 2^b steps at once are again one linear step. So
 * while bit b of the two states differs, bit b of the distance is set. Taking those 2^b steps makes the bits agree
 * without disturbing the lower ones.
 */
function stepsBetween(from: number, to: number): number {
  let state = from;
  let multiplier = MULTIPLIER;
  let increment = INCREMENT;
  let steps = 0;
  for (let bit = 0; bit < 32; bit++) {
    if (((state ^ to) >>> bit) & 1) {
      state = (Math.imul(state, multiplier) + increment) | 0;
      steps += 2 ** bit;
    }
    increment = Math.imul(multiplier + 1, increment);
    multiplier = Math.imul(multiplier, multiplier);
  }
  return steps;
}
