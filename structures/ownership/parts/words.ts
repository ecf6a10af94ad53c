import type { Capacity } from "../ownership.contract.ts";

/**
 * Times since the epoch in one int32 word each: modulo 2^32 ms, which `t | 0` yields. Of two times less than 2^31 ms
 * apart, the sign of the difference of their words (as an int32) says which is later. So all that a structure keeps has
 * to lie that near to its watermark.
 */

/** How far past the watermark a kept time may lie: as far as a signed word can order, 24.8 days. */
export const REACH_MS = 2 ** 31 - 1;

/** Throws a RangeError for a window, in ms, that is longer than a structure's times are unambiguous. */
export function assertWindow({ windowMs }: Pick<Capacity, "windowMs">, longest: number): void {
  if (windowMs > longest)
    throw new RangeError(
      `a window of ${windowMs} ms is longer than ${longest}: shorten it and trim more often, or take another structure`,
    );
}

export function assertInReach(end: number, watermark: number): void {
  if (end - watermark > REACH_MS)
    throw new RangeError(
      `claim ends at ${end}, more than ${REACH_MS} ms after watermark ${watermark}: trim to a later one first`,
    );
}

/** The time that a kept word stands for. */
export function timeOf(word: number, watermark: number): number {
  return watermark + ((word - (watermark | 0)) | 0);
}

export function earlier(word: number, other: number): number {
  return ((word - other) | 0) < 0 ? word : other;
}

export function later(word: number, other: number): number {
  return ((word - other) | 0) > 0 ? word : other;
}
