import { Random } from "../../shared/sfc32.ts";
import { ownCycles } from "../parts/cycles.ts";
import { plainRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Every worker goes round the backends by itself, in an order of its own that was shuffled once.
 *
 * Promise: a worker picks every backend once in each of its cycles; the gap between any two backends never exceeds the
 *   number of workers.
 * Progress: wait-free.
 * Threads: each worker uses the order and position it attached.
 * Cost: an array read, an increment and a compare; no shared memory, so contention does not exist.
 * Memory: a word per backend, private to each worker.
 * Limits: no order across workers. The same order every rotation: a request pattern that reaches one worker is not
 *   broken up.
 * Bet: as fast as the plain order, and workers that drift do not march in step, for they have no step in common.
 * Source: Envoy's siloed workers, with the shuffle of "Randomized Round Robin (Load Balancing) as Fast as Possible"
 *   (N. Portmann), one per worker.
 */
export default {
  ...ownCycles,
  summary: "own round robin per worker, each in its own shuffled order",
  source: "Envoy, siloed round robin; Portmann, Randomized Round Robin: pre-shuffling",
  breaksPatterns: false,

  attach(_memory, { backends, seed }, worker) {
    const rotation = new Random(seed, worker.seed).shuffle(plainRotation(backends));
    let position = 0;
    return {
      pick() {
        const backend = rotation[position]!;
        position = position + 1 === backends ? 0 : position + 1;
        return backend;
      },
    };
  },
} satisfies PickCompetitor;
