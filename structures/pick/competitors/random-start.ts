import { Random } from "../../shared/sfc32.ts";
import {
  plainRotation,
  seamsCrossed,
  UNFOLDED_NEXT,
  UNFOLDED_ROTATION,
  unfoldedRotation,
} from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * gRPC's round robin: the backends in the order of the list, from a random one on, by one shared uint32 counter.
 *
 * Promise: every ticket is handed out once. The gap between any two backends is at most 1, and 1 more for every 2^32
 *   picks where the number of backends does not divide 2^32.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and one remainder of an unsigned 32-bit integer. A JavaScript engine may compute the remainder
 *   in floating point from ticket 2^31 on, unless it treats the number of backends as a constant.
 * Memory: one stride for the counter, then a word per backend.
 * Limits: balancers that share a list all follow the same order, however far apart they start. At every 2^32 picks the
 *   rotation starts anew in mid-rotation. Contention and request patterns as in shuffled-round-robin.
 * Bet: as fast as the shuffled order up to 2^31 picks and slower for ever after; the shuffle costs a pick nothing.
 * Source: grpc-go, balancer/roundrobin/roundrobin.go, rrPicker (v1.54). It starts the counter at a random backend so
 *   that a rebuilt picker does not favour the first of the list. Here the counter starts at `firstTicket` and the list
 *   is rotated by as much instead. The picks are the same, except that after 2^32 the list goes on from that backend
 *   and not its first.
 *
 *     word 0           next       the next ticket modulo 2^32, as int32           every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in plain order from a random one   written by format only
 */
export default {
  summary: "plain order from a random backend on, one shared uint32 Atomics.add index, modulo",
  source: "grpc-go, balancer/roundrobin",
  progress: "wait-free",
  order: "rotation",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: (setup, picks) => 1 + seamsCrossed(setup, picks, SEAM),
  // None beside the two that are always tried: the end of small integers at 2^31, the seam at 2^32.
  wrapPoints: () => [],
  seam: () => SEAM,
  dependsOnBackends: true,

  ...unfoldedRotation(shiftedRotation),

  attach(memory, { backends }) {
    // A private copy of the rotation: it never changes, and a plain array read needs no offset.
    const rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    return { pick: () => rotation[(Atomics.add(memory, NEXT, 1) >>> 0) % backends]! };
  },
} satisfies PickCompetitor;

const SEAM = 2 ** 32;

// Constants of this file, as in every other rotation, so that these races are about the position alone. An engine may
// load an imported binding anew for every pick.
const NEXT = UNFOLDED_NEXT;
const ROTATION = UNFOLDED_ROTATION;

/** The backends in the order of their numbers, from a random one on. */
function shiftedRotation(backends: number, seed: number): Int32Array {
  const start = new Random(seed).below(backends);
  return plainRotation(backends).map((backend) => (backend + start) % backends);
}
