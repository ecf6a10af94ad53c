import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { bounded } from "../../shared/sfc32.ts";
import { foldAt, foldBack, shuffledRotation, ticketsSince } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Round robin over a shuffled order that starts at another place in every cycle, by one shared counter.
 *
 * Promise: every cycle of tickets visits each backend once, from a start that is a hash of the cycle's number. The gap
 *   between any two backends is at most 1 when the first ticket begins a cycle, else 2.
 * Progress: wait-free but for the fold of the counter, which is lock-free and runs once in about 2^30 picks.
 * Threads: any worker that attached.
 * Cost: one Atomics.add, one integer division, a multiplication back, a hash of two multiplications, and one more to
 *   bound it.
 * Memory: one stride for the counter, then a word per backend; privately two words per backend.
 * Limits: contention as in shuffled-round-robin. Neighbours stay neighbours. Two heavy requests a fixed distance apart
 *   fall on one of a few pairs of backends. So loads vary more than in a shuffle, though none is singled out. The last
 *   backends of a cycle may be the first of the next. The starts repeat after a fold.
 * Bet: breaking up request patterns costs a shared counter next to nothing, because its line's travel hides the hash.
 * Source: this lab: "if only shuffling once isn't enough" in "Randomized Round Robin (Load Balancing) as Fast as
 *   Possible" (N. Portmann), without a word that changes but the counter. The hash is MurmurHash3's 32-bit finalizer
 *   (A. Appleby).
 *
 *     word 0           next       the next ticket, 0 .. fold + calls in flight   every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in shuffled order                 written by format only
 */
export default {
  summary: "pre-shuffled order rotated by a hash every cycle, one shared Atomics.add index",
  source: "this lab, after Portmann, Randomized Round Robin: repeated shuffling",
  progress: "lock-free",
  order: "cycles",
  breaksPatterns: true,
  tickets: "linearizable",
  /** The part of a cycle at either end leaves a difference of 1; from a multiple on there is none at the beginning. */
  gapBound: ({ backends, firstTicket }) => (firstTicket % backends === 0 ? 1 : 2),
  wrapPoints: (backends) => [foldAt(backends)],
  dependsOnBackends: true,

  words: ({ backends }) => ROTATION + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket }) {
    memory.set(shuffledRotation(backends, seed), ROTATION);
    Atomics.store(memory, NEXT, firstTicket % foldAt(backends));
  },

  attach(memory, { backends, seed }) {
    // A private copy of the rotation, twice in a row, so that a cycle from any start on need not wrap.
    const twice = Int32Array.from({ length: 2 * backends }, (_, at) => memory[ROTATION + (at % backends)]!);
    const fold = foldAt(backends);
    // Cycles are numbered alike in every instance; this makes the starts those of the seed.
    const salt = hashed(seed);
    return {
      pick() {
        let ticket = Atomics.add(memory, NEXT, 1);
        if (ticket >= fold) {
          foldBack(memory, NEXT, fold);
          // The rest of this cycle may be handed out after the fold and counts its cycles from there.
          ticket -= fold;
        }
        const cycle = (ticket / backends) | 0;
        const start = bounded(hashed(cycle ^ salt), backends);
        return twice[start + ticket - cycle * backends]!;
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

/** 32 bits that each depend on every bit of `value`, so that successive numbers lead to unrelated starts. */
function hashed(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return bits ^ (bits >>> 16);
}

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
