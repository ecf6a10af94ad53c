import { Random } from "../../shared/sfc32.ts";
import type { PickSetup } from "../pick.contract.ts";

/**
 * What round robins over a fixed order share: the shuffled rotation, and a counter that never leaves the int32 range.
 */

/** The backends in the order `seed` shuffles them into. */
export function shuffledRotation(backends: number, seed: number): Int32Array {
  return new Random(seed).shuffle(plainRotation(backends));
}

/** The backends in the order of their numbers. */
export function plainRotation(backends: number): Int32Array {
  return Int32Array.from({ length: backends }, (_, index) => index);
}

/**
 * Where a counter of tickets is folded back to 0: the largest multiple of `period` up to `limit`, by default 2^30.
 *
 * Left alone, an int32 counter turns negative after 2^31 picks, where the source's own code indexes out of range. Read
 * as unsigned, it still breaks the rotation at 2^32 unless the number of backends divides it. Subtracting a whole
 * number of rotations changes no ticket's backend, so the order has no seam. The counter stays in the small-integer
 * range of the engine, where the remainder is an integer instruction.
 */
export function foldAt(period: number, limit = 2 ** 30): number {
  return limit - (limit % period);
}

/**
 * Where a counter begins whose order the seed does not shuffle: at a ticket that it draws, of the same period as
 * `firstTicket`. So instances begin apart, and one that is to begin just below a fold still does.
 */
export function beginningIn(
  { firstTicket, seed }: Pick<PickSetup, "firstTicket" | "seed">,
  period: number,
): number {
  return firstTicket - (firstTicket % period) + Math.floor(new Random(seed).fraction() * period);
}

/**
 * Takes one fold off the counter at `at` unless another worker already has. Every worker that draws a ticket at or
 * above the fold tries, not only the one that draws the fold itself. A worker stopped at this point then delays no
 * other: they would have to hand out another 2^30 tickets without one success before the counter overflowed.
 */
export function foldBack(memory: Int32Array, at: number, fold: number): void {
  let next = Atomics.load(memory, at);
  while (next >= fold) {
    const seen = Atomics.compareExchange(memory, at, next, next - fold);
    if (seen === next) return;
    next = seen;
  }
}

/** Tickets that a folded counter has handed out since it stood at `firstTicket`, modulo `fold`. */
export function ticketsSince(memory: Int32Array, at: number, firstTicket: number, fold: number) {
  return { count: (Atomics.load(memory, at) - (firstTicket % fold) + fold) % fold, modulo: fold };
}

/**
 * How often `picks` tickets go on past a multiple of `seam`. There a counter that is not folded restarts the rotation
 * in the middle: a gap of 1 more each time. None where whole rotations end there, nor where the first ticket begins at
 * a seam or the last one ends at it.
 */
export function seamsCrossed({ backends, firstTicket }: PickSetup, picks: number, seam: number): number {
  if (seam % backends === 0 || picks === 0) return 0;
  return Math.floor((firstTicket + picks - 1) / seam) - Math.floor(firstTicket / seam);
}
