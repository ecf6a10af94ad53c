import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { sharesNothing } from "../parts/traits.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * The package pure-rand as one would use it: a generator for every worker and its uniform distribution.
 *
 * Promise: every pick is exactly uniform, and workers draw from different streams.
 * Progress: lock-free. A draw may be rejected any number of times, so no call's steps are bounded, though no other
 *   worker is involved. Wait-free would claim more than the package keeps.
 * Threads: each worker uses the generator it attached.
 * Cost: the generator, then a division, a multiplication, an addition and a remainder of numbers beyond int32. The
 *   package computes anew for each draw what it must reject. No shared memory.
 * Memory: one object with four numbers, private to each worker.
 * Limits: counts per backend differ by about the root of the picks; nothing is spread deliberately.
 * Bet: a general distribution costs several times a multiply and shift, because its numbers leave the integers.
 * Source: npm pure-rand 8.4.2 (N. Dubien), xoroshiro128+ and uniformInt, in the form that changes its generator rather
 *   than copy it for each draw.
 */
export default {
  ...sharesNothing,
  order: "random",
  summary: "pure-rand's xoroshiro128+ and uniformInt per worker, nothing shared",
  source: "npm pure-rand",
  progress: "lock-free",
  dependsOnBackends: true,

  attach(_memory, { backends, seed }, worker) {
    // The package takes one int32 as its seed: here the first draw of a generator that takes both, the balancer's and
    // the worker's.
    const seeder = new Int32Array(SFC32_WORDS);
    seedSfc32(seeder, 0, seed, worker.seed);
    const generator = xoroshiro128plus(nextSfc32(seeder, 0));
    const last = backends - 1;
    return { pick: () => uniformInt(generator, 0, last) };
  },

  inspect: () => ({}),
} satisfies PickCompetitor;
