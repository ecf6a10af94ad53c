import { bounded } from "../../shared/sfc32.ts";
import { nextXoshiro128, seedXoshiro128, XOSHIRO128_WORDS } from "../../shared/xoshiro128.ts";
import { sharesNothing } from "../parts/traits.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * A random generator of its own for every worker, of the linear kind; nothing is shared.
 *
 * Promise: every pick is uniform to within 2^-32 per backend, and workers draw from different streams.
 * Progress: wait-free.
 * Threads: each worker uses the generator it attached.
 * Cost: the generator, which multiplies twice, and the multiplication that bounds; no shared memory.
 * Memory: 16 bytes private to each worker.
 * Limits: counts per backend differ by about the root of the picks; nothing is spread deliberately.
 * Bet: no faster than sfc32, whose four words take as many loads and stores and no multiplication.
 * Source: Blackman & Vigna, "Scrambled Linear Pseudorandom Number Generators" (2021), xoshiro128**; else as
 *   per-worker-random.
 */
export default {
  ...sharesNothing,
  order: "random",
  summary: "private xoshiro128** generator per worker, nothing shared",
  source: "Blackman & Vigna 2021; Portmann, ThreadStatic Random",

  attach(_memory, { backends, seed }, worker) {
    const state = new Int32Array(XOSHIRO128_WORDS);
    seedXoshiro128(state, 0, seed, worker.seed);
    return { pick: () => bounded(nextXoshiro128(state, 0), backends) };
  },

  inspect: () => ({}),
} satisfies PickCompetitor;
