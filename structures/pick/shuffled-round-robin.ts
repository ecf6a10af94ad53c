import { STRIDE_WORDS, wholeStrides } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import type { PickCompetitor } from "./pick.contract.ts";

/**
 * Round robin over an order that was shuffled once, the position being one shared counter.
 *
 * Promise: every ticket is handed out once; the gap between any two backends never exceeds 1.
 * Progress: wait-free but for the fold below, which is lock-free and runs once in about 2^30 picks.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and one integer remainder.
 * Memory: one stride for the counter, then a word per backend.
 * Limits: every worker writes the same line, so picks cannot run faster than that line moves between cores. The order
 *   is the same every lap: a request pattern whose period shares a factor with the number of backends is not broken up.
 * Bet: the source's ranking (this slower than the linked ring) inverts, because a fetch-and-add cannot fail.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), Increment and Modulo; the
 *   shuffle is Fisher-Yates as given there.
 *
 *     word 0           next   the next ticket, 0 .. fold + calls in flight   every worker, atomically
 *     words 1 .. 31    dead, so that the lap does not share the counter's lines
 *     words 32 ..      lap    the backends in shuffled order                 written by format only
 */
export default {
  summary: "pre-shuffled order, one shared Atomics.add index, modulo",
  source: "Portmann, Randomized Round Robin: Increment and Modulo",
  progress: "lock-free",
  order: "round-robin",
  tickets: "linearizable",
  gapBound: () => 1,
  wrapPoints: (backends) => [foldAt(backends)],

  words: ({ backends }) => LAP + wholeStrides(backends),

  format(memory, { backends, seed, firstTicket }) {
    memory.set(shuffledLap(backends, seed), LAP);
    Atomics.store(memory, NEXT, firstTicket % foldAt(backends));
  },

  attach(memory, { backends }) {
    // A private copy of the lap: it never changes, and a plain array read needs no offset.
    const lap = Int32Array.from(memory.subarray(LAP, LAP + backends));
    const fold = foldAt(backends);
    return {
      pick() {
        const ticket = Atomics.add(memory, NEXT, 1);
        if (ticket >= fold) foldBack(memory, fold);
        return lap[ticket % backends]!;
      },
    };
  },

  inspect(memory, { backends, firstTicket }) {
    const fold = foldAt(backends);
    const count = (Atomics.load(memory, NEXT) - (firstTicket % fold) + fold) % fold;
    return { handedOut: { count, modulo: fold }, lap: [...memory.subarray(LAP, LAP + backends)] };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const LAP = STRIDE_WORDS;

/** The backends in the order `seed` shuffles them into. */
export function shuffledLap(backends: number, seed: number): Int32Array {
  return new Random(seed).shuffle(Int32Array.from({ length: backends }, (_, index) => index));
}

/**
 * Where the counter is folded back to 0: the largest multiple of the number of backends up to 2^30.
 *
 * Left alone, an int32 counter turns negative after 2^31 picks (the source's own code then indexes out of range), and
 * read as unsigned it still breaks the lap at 2^32 unless the number of backends divides it. Subtracting a whole
 * number of laps changes no ticket's backend, so the order has no seam, and the counter stays in the small-integer
 * range of the engine, where the remainder is an integer instruction.
 */
function foldAt(backends: number): number {
  return 2 ** 30 - (2 ** 30 % backends);
}

/**
 * Takes one fold off the counter unless somebody already has. Every worker that draws a ticket at or above the fold
 * tries, rather than only the one that draws the fold itself, so that a worker stopped at this point holds nobody up:
 * the others would have to hand out another 2^30 tickets without one success before the counter overflowed.
 */
function foldBack(memory: Int32Array, fold: number): void {
  let next = Atomics.load(memory, NEXT);
  while (next >= fold) {
    const seen = Atomics.compareExchange(memory, NEXT, next, next - fold);
    if (seen === next) return;
    next = seen;
  }
}
