import { STRIDE_WORDS } from "../../shared/layout.ts";
import { beginningIn, foldAt, foldBack } from "../parts/rotation.ts";
import { largestOf, phaseOf, strideGapBound, strideShareBound } from "../parts/stride.ts";
import { sumOf, type Weighed, weightsOf } from "../parts/weights.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Weighted round robin without a lock. One shared sequence goes round the backends, and each skips as many of its turns
 * as its weight falls short of the largest.
 *
 * Promise: a backend of the largest weight takes every turn. One of weight w takes w of every `largest`, spread evenly.
 *   Every turn goes to one worker. Shares and gap are bounded as shown below.
 * Progress: lock-free. A worker may draw only skipped turns while others draw taken ones, but one round of the backends
 *   never passes without a pick.
 * Threads: any worker that attached.
 * Cost: one Atomics.add, an integer division, three remainders and a multiplication per turn. A pick takes as many
 *   turns as the mean weight goes into the largest. From weights of 2^15 on the product may leave the int32 range, and
 *   an engine may take its remainder in floating point.
 * Memory: one stride; six bytes for each backend private to each worker.
 * Limits: backends times the largest weight up to 2^30. The order is fixed by the weights and nothing is shuffled, so a
 *   request pattern is not broken up. The seed draws where in it an instance begins. One heavy backend among many light
 *   ones makes most turns pass.
 * Bet: with equal weights it costs its remainders more than a round robin. With unequal ones it is cheaper than any
 *   lock around an exact method.
 * Source: gRPC-Go, balancer/weightedroundrobin/scheduler.go (edfScheduler, the static stride scheduler of gRPC C++).
 *   Weights are taken as they are rather than scaled to 65,535, so that their proportions stay exact.
 *
 *     word 0   next   the next turn, 0 .. fold + turns in flight   every worker, atomically
 */
export default {
  summary: "weighted: shared sequence by Atomics.add, each backend lets turns pass by its weight",
  source: "gRPC-Go, weightedroundrobin static stride scheduler",
  progress: "lock-free",
  order: "weighted",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: strideGapBound,
  wrapPoints: (backends) => [foldAt(backends)],
  dependsOnBackends: true,

  shareBound: strideShareBound,

  refuses: (setup) =>
    periodOf(setup) > 2 ** 30 ? "backends times the largest weight is more than 2^30" : undefined,

  words: () => STRIDE_WORDS,

  format(memory, setup) {
    Atomics.store(memory, NEXT, firstTurnOf(setup));
  },

  attach(memory, setup) {
    const { backends } = setup;
    const weights = Uint16Array.from(weightsOf(setup));
    const largest = largestOf(weightsOf(setup));
    const phases = Int32Array.from(weights, (_, backend) => phaseOf(backend, largest));
    const fold = foldAt(periodOf(setup));
    /** Turns that this worker let pass. */
    let skips = 0;
    return {
      pick() {
        for (;;) {
          const turn = Atomics.add(memory, NEXT, 1);
          if (turn >= fold) foldBack(memory, NEXT, fold);
          const backend = turn % backends;
          // Only the remainder of the round matters, and taking it first keeps the product below 2^32.
          const round = ((turn / backends) | 0) % largest;
          const weight = weights[backend]!;
          if ((weight * round + phases[backend]!) % largest >= largest - weight) return backend;
          skips++;
        }
      },
      counters: () => ({ skips }),
    };
  },

  /** The number of a turn determines whether it is taken, so the turns drawn give the number of picks. */
  inspect(memory, setup) {
    const modulo = (foldAt(periodOf(setup)) / periodOf(setup)) * sumOf(weightsOf(setup));
    const count = picksBefore(Atomics.load(memory, NEXT), setup) - picksBefore(firstTurnOf(setup), setup);
    return { handedOut: { count: (count + modulo) % modulo, modulo } };
  },
} satisfies PickCompetitor;

const NEXT = 0;

/** Turns after which the same backends take and let pass the same turns again: what the counter may be folded by. */
function periodOf(setup: Weighed): number {
  return setup.backends * largestOf(weightsOf(setup));
}

function firstTurnOf(setup: PickSetup): number {
  return beginningIn(setup, periodOf(setup)) % foldAt(periodOf(setup));
}

/** How many of the turns below `turn` are taken: for each backend, how often its sum passed a multiple of `largest`. */
function picksBefore(turn: number, setup: PickSetup): number {
  const weights = weightsOf(setup);
  const largest = largestOf(weights);
  return sumOf(
    weights.map((weight, backend) => {
      const turns = Math.ceil(Math.max(0, turn - backend) / setup.backends);
      return Math.floor((turns * weight + phaseOf(backend, largest)) / largest);
    }),
  );
}
