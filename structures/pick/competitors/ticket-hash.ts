import { STRIDE_WORDS } from "../../shared/layout.ts";
import { bounded } from "../../shared/sfc32.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * A random generator that is a function of a ticket: one shared counter, and a hash in place of a state.
 *
 * Promise: every ticket is handed out once and decides its backend; uniform to within 2^-32 per backend.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and four multiplications: step, hash, bound.
 * Memory: one stride.
 * Limits: the sequence repeats after 2^32 picks, and holds each 32-bit number once until then. Every worker writes the
 *   same line. Counts per backend differ by about the root of the picks.
 * Bet: one sequence for all workers costs no more than a round robin does, and no lock.
 * Source: counter-based generators: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011). Steps as in
 *   SplitMix (Steele, Lea & Flood 2014), for 32 bits; the hash is lowbias32 of hash-prospector (C. Wellons, 2018).
 *
 *     word 0   next   the next ticket; wraps after 2^32   every worker, atomically
 */
export default {
  summary: "shared ticket by Atomics.add, hashed into a random number",
  source: "Salmon et al. 2011; Steele, Lea & Flood 2014; Wellons, lowbias32",
  progress: "wait-free",
  order: "random",
  breaksPatterns: true,
  tickets: "linearizable",
  gapBound: () => Number.POSITIVE_INFINITY,
  wrapPoints: () => [],
  dependsOnBackends: false,

  words: () => STRIDE_WORDS,

  format(memory, { firstTicket }) {
    Atomics.store(memory, NEXT, firstTicket);
  },

  attach(memory, { backends, seed }) {
    const start = mixed(seed);
    return {
      pick: () => bounded(mixed((start + Math.imul(Atomics.add(memory, NEXT, 1), GOLDEN)) | 0), backends),
    };
  },

  inspect: (memory, { firstTicket }) => ({
    handedOut: { count: (Atomics.load(memory, NEXT) - firstTicket) >>> 0, modulo: 2 ** 32 },
  }),
} satisfies PickCompetitor;

const NEXT = 0;

/**
 * 2^32 divided by the golden ratio, made odd. Steps of this size visit all 32-bit numbers and spread neighbouring
 * tickets, so that the hash need not do it alone.
 */
const GOLDEN = 0x9e3779b9;

/**
 * A permutation of 32 bits of the shape of MurmurHash3's finalizer, with the shifts and factors that Wellons' search
 * for little bias found (hash-prospector, lowbias32).
 */
function mixed(word: number): number {
  let z = word ^ (word >>> 16);
  z = Math.imul(z, 0x7feb352d);
  z = Math.imul(z ^ (z >>> 15), 0x846ca68b);
  return z ^ (z >>> 16);
}
