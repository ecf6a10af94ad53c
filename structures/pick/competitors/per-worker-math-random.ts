import { sharesNothing } from "../parts/traits.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * The first idea of most programmers: Math.random, with a generator for every worker.
 *
 * Promise: every pick is uniform to within 2^-52 per backend, and workers draw from different streams.
 * Progress: wait-free.
 * Threads: each worker uses the generator of its own isolate.
 * Cost: a number from the engine's cache of 64, which a call into the runtime refills; a multiplication.
 * Memory: nothing shared; state and cache belong to the engine.
 * Limits: cannot be seeded from here, so that no run can be repeated. Under node --random-seed every worker gets the
 *   same sequence. Counts per backend differ by about the root of the picks.
 * Bet: a generator written in JavaScript beats the engine's, because it stays in the integers.
 * Source: V8, Math.random: xorshift128+. The literal counterpart of ThreadStatic Random in "Randomized Round Robin
 *   (Load Balancing) as Fast as Possible" (N. Portmann).
 */
export default {
  ...sharesNothing,
  order: "random",
  summary: "Math.random per worker, nothing shared",
  source: "V8, Math.random; Portmann, ThreadStatic Random",
  unseeded: true,

  // Truncated, which is rounding down for a product that is never negative and below 2^31.
  attach: (_memory, { backends }) => ({ pick: () => (Math.random() * backends) | 0 }),

  inspect: () => ({}),
} satisfies PickCompetitor;
