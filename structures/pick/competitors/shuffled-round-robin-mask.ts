import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { shuffledRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over an order that was shuffled once, where the number of backends is a power of two. The low bits of one
 * shared counter are the position.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and one mask.
 * Memory: one stride for the counter, then a word per backend.
 * Limits: refuses other numbers of backends. Contention and request patterns as in shuffled-round-robin.
 * Bet: no faster than the remainder: an engine that finds a power of two masks by itself, and the Atomics.add outweighs
 *   either.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Increment and Modulo, with the
 *   textbook's way round the division.
 *
 *     word 0           next       the next ticket modulo 2^32, as int32       every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in shuffled order              written by format only
 */
export default {
  summary: "pre-shuffled order, one shared Atomics.add index, masked; powers of two only",
  source: "Portmann, Randomized Round Robin: Increment and Modulo; a mask in place of the remainder",
  progress: "wait-free",
  order: "rotation",
  breaksPatterns: false,
  tickets: "linearizable",
  gapBound: () => 1,
  wrapPoints: () => [],
  dependsOnBackends: true,
  refuses: ({ backends }) => ((backends & (backends - 1)) === 0 ? undefined : "backends are no power of two"),

  words: ({ backends }) => ROTATION + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket }) {
    memory.set(shuffledRotation(backends, seed), ROTATION);
    Atomics.store(memory, NEXT, firstTicket | 0);
  },

  attach(memory, { backends }) {
    // A private copy of the rotation: it never changes, and a plain array read needs no offset.
    const rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    const mask = backends - 1;
    return {
      // A power of two divides 2^32, so neither the change of sign nor the wrap of the counter is a seam.
      pick: () => rotation[Atomics.add(memory, NEXT, 1) & mask]!,
    };
  },

  inspect: (memory, { backends, firstTicket }) => ({
    handedOut: { count: (Atomics.load(memory, NEXT) - firstTicket) >>> 0, modulo: 2 ** 32 },
    rotation: [...memory.subarray(ROTATION, ROTATION + backends)],
  }),
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
