import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { foldAt, foldBack, shuffledRotation, ticketsSince } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over an order that was shuffled once, the position being one shared counter.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: wait-free but for the fold below, which is lock-free and runs once in about 2^30 picks.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and one integer remainder.
 * Memory: one stride for the counter, then a word per backend.
 * Limits: every worker writes the same line, so picks cannot run faster than that line moves between cores. The order
 *   is the same every rotation: a request pattern whose period shares a factor with the number of backends is not
 *   broken up.
 * Bet: the source's ranking (this slower than the linked ring) inverts, because a fetch-and-add cannot fail.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Increment and Modulo; the
 *   shuffle is Fisher-Yates as given there.
 *
 *     word 0           next       the next ticket, 0 .. fold + calls in flight   every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in shuffled order                 written by format only
 */
export default {
  summary: "pre-shuffled order, one shared Atomics.add index, modulo",
  source: "Portmann, Randomized Round Robin: Increment and Modulo",
  progress: "lock-free",
  order: "rotation",
  tickets: "linearizable",
  breaksPatterns: false,
  gapBound: () => 1,
  wrapPoints: (backends) => [foldAt(backends)],
  dependsOnBackends: true,

  words: ({ backends }) => ROTATION + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket }) {
    memory.set(shuffledRotation(backends, seed), ROTATION);
    Atomics.store(memory, NEXT, firstTicket % foldAt(backends));
  },

  attach(memory, { backends }) {
    // A private copy of the rotation: it never changes, and a plain array read needs no offset.
    const rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    const fold = foldAt(backends);
    return {
      pick() {
        const ticket = Atomics.add(memory, NEXT, 1);
        if (ticket >= fold) foldBack(memory, NEXT, fold);
        return rotation[ticket % backends]!;
      },
    };
  },

  inspect(memory, { backends, firstTicket }) {
    return {
      handedOut: ticketsSince(memory, NEXT, firstTicket, foldAt(backends)),
      rotation: [...memory.subarray(ROTATION, ROTATION + backends)],
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
