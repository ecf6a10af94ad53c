import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../shared/sfc32.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { ownCycles } from "./pick.cycles.ts";
import { plainLap } from "./pick.lap.ts";

/**
 * Every worker goes round the backends by itself, in an order that it shuffles anew for every cycle while it picks.
 *
 * Promise: a worker picks every backend once in each of its cycles, whose order is a uniform permutation to within
 *   2^-32 per draw; the gap between any two backends never exceeds the number of workers.
 * Progress: wait-free, and every pick costs the same: no pick pays for a whole shuffle.
 * Threads: each worker uses the order and generator it attached.
 * Cost: a draw of the generator, a multiplication and a swap; no shared memory, so contention does not exist.
 * Memory: a word per backend and 16 bytes, private to each worker.
 * Limits: no order across workers. The last backend of a cycle may be the first of the next.
 * Bet: breaks up every request pattern and keeps a gap of 1 per worker, for little more than per-worker-random costs,
 *   which keeps none.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann): "if only shuffling once isn't
 *   enough"; Envoy's siloed workers.
 */
export default {
  ...ownCycles,
  summary: "own round robin per worker, reshuffled every cycle, one swap per pick",
  source: "Portmann, Randomized Round Robin: repeated shuffling; Envoy, siloed round robin",
  breaksPatterns: true,

  attach(_memory, { backends, seed }, seat) {
    const random = new Int32Array(SFC32_WORDS);
    seedSfc32(random, 0, seed, seat.seed);
    const lap = plainLap(backends);
    let position = 0;
    return {
      // One step of a Fisher-Yates shuffle per pick, from the front: the place at hand gets one of those not yet picked
      // in this cycle, all with the same chance. After a cycle every step has been made once, which makes the cycle a
      // uniform permutation whatever order the one before left behind.
      pick() {
        const other = position + bounded(nextSfc32(random, 0), backends - position);
        const backend = lap[other]!;
        lap[other] = lap[position]!;
        lap[position] = backend;
        position = position + 1 === backends ? 0 : position + 1;
        return backend;
      },
    };
  },
} satisfies PickCompetitor;
