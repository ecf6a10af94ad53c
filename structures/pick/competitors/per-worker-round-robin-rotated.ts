import { bounded, nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { ownCycles } from "../parts/cycles.ts";
import { plainRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Every worker goes round the backends by itself, in a shuffled order of its own that starts anywhere in every cycle.
 *
 * Promise: a worker picks every backend once in each of its cycles. The start of a cycle is uniform to within 2^-32.
 *   The gap between any two backends never exceeds the number of workers.
 * Progress: wait-free.
 * Threads: each worker uses the order and generator it attached.
 * Cost: a compare, an increment and an array read; once a cycle a draw of the generator and a multiplication as well.
 *   No shared memory, so contention does not exist.
 * Memory: two words per backend and 16 bytes, private to each worker.
 * Limits: no order across workers. Neighbours stay neighbours. Two heavy requests a fixed distance apart fall on one of
 *   a few pairs of backends. So loads vary more than in a shuffle, though none is singled out. The last backends of a
 *   cycle may be the first of the next.
 * Bet: one draw per cycle breaks up request patterns nearly as well as one per pick, at the cost of none.
 * Source: this lab: the cheapest answer to "if only shuffling once isn't enough" in "Randomized Round Robin (Load
 *   Balancing) as Fast as Possible" (N. Portmann); Envoy's siloed workers.
 */
export default {
  ...ownCycles,
  summary: "own round robin per worker, own shuffled order, rotated at random every cycle",
  source: "this lab; Envoy, siloed round robin",
  breaksPatterns: true,

  attach(_memory, { backends, seed }, worker) {
    const once = new Random(seed, worker.seed).shuffle(plainRotation(backends));
    // Twice in a row, so that a cycle from any start on need not wrap.
    const twice = Int32Array.from({ length: 2 * backends }, (_, at) => once[at % backends]!);
    // A stream of its own: the shuffle above has used the worker's first.
    const random = new Int32Array(SFC32_WORDS);
    seedSfc32(random, 0, seed, ~worker.seed);
    let position = 0;
    let end = 0;
    return {
      pick() {
        if (position === end) {
          position = bounded(nextSfc32(random, 0), backends);
          end = position + backends;
        }
        return twice[position++]!;
      },
    };
  },
} satisfies PickCompetitor;
