import { Random } from "../../shared/sfc32.ts";
import { beginningOf } from "../../shared/worker-identity.ts";
import { ownCycles } from "../parts/cycles.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Every worker goes round the backends by itself, in their plain order. The first begins at a place that the seed
 * draws, the others evenly apart from there.
 *
 * Promise: a worker picks every backend once in each of its cycles; the gap between any two backends never exceeds the
 *   number of workers.
 * Progress: wait-free.
 * Threads: each worker uses the position it attached.
 * Cost: an increment and a compare; no memory is read, so contention does not exist.
 * Memory: a number, private to each worker.
 * Limits: no order across workers. Where all are equally fast they stay evenly apart; where they are not they may come
 *   to pick the same backend at the same time. A worker that takes over a seat begins at a random backend. The same
 *   order every rotation: request patterns are not broken up.
 * Bet: the fastest of all that are fair; the shared counter's gap of 1 is not worth its price.
 * Source: Envoy's siloed workers: each has a round robin of its own (envoyproxy/envoy#2593 asks for a shared one). It
 *   seeds each worker's index at random; here they are spaced evenly, which is the best that random can do.
 */
export default {
  ...ownCycles,
  summary: "own round robin per worker, plain order, workers evenly apart",
  source: "Envoy, siloed round robin",
  breaksPatterns: false,
  dependsOnBackends: false,

  attach(_memory, { backends, seed }, worker) {
    const apart = Math.floor((worker.index * backends) / worker.workers);
    // In the plain order a place in the rotation is the number of its backend.
    let next = beginningOf(worker, backends, (new Random(seed).below(backends) + apart) % backends);
    return {
      pick() {
        const backend = next;
        next = backend + 1 === backends ? 0 : backend + 1;
        return backend;
      },
    };
  },
} satisfies PickCompetitor;
