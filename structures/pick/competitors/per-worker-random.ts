import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { sharesNothing } from "../parts/traits.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * A random generator of its own for every worker; nothing is shared.
 *
 * Promise: every pick is uniform to within 2^-32 per backend, and workers draw from different streams.
 * Progress: wait-free.
 * Threads: each worker uses the generator it attached.
 * Cost: the generator and a multiplication; no shared memory, so contention does not exist.
 * Memory: 16 bytes private to each worker.
 * Limits: counts per backend differ by about the root of the picks; nothing is spread deliberately.
 * Bet: the cost per pick does not change with the number of workers, as the source says of it.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), ThreadStatic Random. Its
 *   generator there is .NET's; Math.random would be the literal counterpart but cannot be seeded, and a run of the lab
 *   must be repeatable.
 */
export default {
  ...sharesNothing,
  order: "random",
  summary: "private sfc32 generator per worker, nothing shared",
  source: "Portmann, Randomized Round Robin: ThreadStatic Random",

  attach(_memory, { backends, seed }, worker) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, seed, worker.seed);
    return { pick: () => bounded(nextSfc32(state, 0), backends) };
  },

  inspect: () => ({}),
} satisfies PickCompetitor;
