import { STRIDE_WORDS } from "../../shared/layout.ts";
import { foldAt, foldBack } from "../parts/rotation.ts";
import { sumOf, type Weighed, weightsOf } from "../parts/weights.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Weighted round robin without a lock: one shared sequence goes round the backends, and each lets pass as many of its
 * turns as its weight falls short of the largest.
 *
 * Promise: a backend of the largest weight takes every turn, one of weight w takes w of every `largest`, spread evenly;
 *   every turn is had by one worker. Shares and gap are bounded as shown below.
 * Progress: lock-free: a worker may draw turns that are let pass while others have those that are taken, but one round
 *   of the backends never passes without a pick.
 * Threads: any worker that attached.
 * Cost: one Atomics.add, an integer division, three remainders and a multiplication per turn; a pick takes as many
 *   turns as the mean weight goes into the largest. From weights of 2^15 on the product may leave the int32 range, and
 *   an engine may take its remainder in floating point.
 * Memory: one stride; six bytes for each backend private to each worker.
 * Limits: backends times the largest weight up to 2^30. The order is fixed by the weights and nothing is shuffled, so a
 *   request pattern is not broken up. One heavy backend among many light ones makes most turns pass.
 * Bet: with equal weights no dearer than a round robin by more than its remainders, and with unequal ones cheaper than
 *   any lock around an exact method.
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
  // In any run of turns one backend gets as many of them as another or one more. Where weights are equal it takes them
  // all. Else it takes G w / largest of G turns, rounded up or down, so that of one more it takes two more at most.
  gapBound: ({ weights = [] }) => (weights.every((weight) => weight === weights[0]) ? 1 : 2),
  wrapPoints: (backends) => [foldAt(backends)],
  dependsOnBackends: true,

  /**
   * Let W be the sum of the weights, M the largest, and w a backend's. Its turns come once a round, and it takes a turn
   * where w * round + phase passes a multiple of M; so of any G turns in a row it takes G w / M + e with |e| < 1. A run
   * of turns that the picks so far stand for gives every backend G of them, and some one more (the part of a round):
   *   picks of this one = G w / M + e + p,  with p = w / M if it is among those, else 0
   *   all picks         = G W / M + E + P,  the sums of e and p over all backends
   * and its share is w / W of all picks. So it is off by (e - E w / W) + (p - P w / W). The second part is within 1, for
   * p and P w / W are both from 0 to w / M. In the first, e has the factor 1 - w / W and each other backend's e has
   * w / W, so with N backends it is below 1 - w / W + (N - 1) w / W. Together: below 2 + (N - 2) w / W, and w <= M.
   */
  shareBound(setup) {
    const weights = weightsOf(setup);
    return 2 + (Math.max(0, setup.backends - 2) * largestOf(weights)) / sumOf(weights);
  },

  refuses: (setup) =>
    periodOf(setup) > 2 ** 30 ? "backends times the largest weight is more than 2^30" : undefined,

  words: () => STRIDE_WORDS,

  format(memory, setup) {
    Atomics.store(memory, NEXT, setup.firstTicket % foldAt(periodOf(setup)));
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

  /** Which turns are taken follows from their numbers, so the turns drawn tell how many picks were made. */
  inspect(memory, setup) {
    const fold = foldAt(periodOf(setup));
    const modulo = (fold / periodOf(setup)) * sumOf(weightsOf(setup));
    const count =
      picksBefore(Atomics.load(memory, NEXT), setup) - picksBefore(setup.firstTicket % fold, setup);
    return { handedOut: { count: (count + modulo) % modulo, modulo } };
  },
} satisfies PickCompetitor;

const NEXT = 0;

function largestOf(weights: readonly number[]): number {
  return weights.reduce((largest, weight) => Math.max(largest, weight));
}

/** Turns after which the same backends take and let pass the same turns again: what the counter may be folded by. */
function periodOf(setup: Weighed): number {
  return setup.backends * largestOf(weightsOf(setup));
}

/** Shifts the turns that neighbours let pass against each other, so that two of equal weight seldom pass in a row. */
function phaseOf(backend: number, largest: number): number {
  return (backend * Math.floor(largest / 2)) % largest;
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
