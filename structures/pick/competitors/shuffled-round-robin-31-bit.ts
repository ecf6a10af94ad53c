import {
  seamsCrossed,
  shuffledRotation,
  UNFOLDED_NEXT,
  UNFOLDED_ROTATION,
  unfoldedRotation,
} from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over an order that was shuffled once, the position being the low 31 bits of one shared counter.
 *
 * Promise: every ticket is handed out once. The gap between any two backends is at most 1, and 1 more for every 2^31
 *   picks where the number of backends does not divide 2^31.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: one Atomics.add, one mask and one integer remainder.
 * Memory: one stride for the counter, then a word per backend.
 * Limits: at every 2^31 picks the rotation starts anew in mid-rotation, so that some backends get a request too many.
 *   Contention and request patterns as in shuffled-round-robin.
 * Bet: masking the sign away costs no less than the compare that folds the counter, so the seam buys nothing.
 * Source: the usual repair of the counter in "Randomized Round Robin (Load Balancing) as Fast as Possible" (N.
 *   Portmann), Increment and Modulo, whose own turns negative after 2^31 picks.
 *
 *     word 0           next       the next ticket modulo 2^32, as int32       every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in shuffled order              written by format only
 */
export default {
  summary: "pre-shuffled order, one shared Atomics.add index, 31-bit mask, modulo",
  source: "Portmann, Randomized Round Robin: Increment and Modulo, its overflow repaired",
  progress: "wait-free",
  order: "rotation",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: (setup, picks) => 1 + seamsCrossed(setup, picks, SEAM),
  // None beside the two that are always tried: the counter changes its sign there.
  wrapPoints: () => [],
  seam: () => SEAM,
  dependsOnBackends: true,

  ...unfoldedRotation(shuffledRotation),

  attach(memory, { backends }) {
    // A private copy of the rotation: it never changes, and a plain array read needs no offset.
    const rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    return {
      // The mask keeps the ticket a small integer, so that the remainder is an integer instruction.
      pick: () => rotation[(Atomics.add(memory, NEXT, 1) & (SEAM - 1)) % backends]!,
    };
  },
} satisfies PickCompetitor;

const SEAM = 2 ** 31;

// Constants of this file, as in every other rotation, so that these races are about the position alone. An engine may
// load an imported binding anew for every pick.
const NEXT = UNFOLDED_NEXT;
const ROTATION = UNFOLDED_ROTATION;
