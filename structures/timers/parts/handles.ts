import { assertInteger } from "../../shared/arguments.ts";

/**
 * How a handle is made: `generation * places + place`. `places` is the capacity rounded up to a power of two, and
 * generation is 1 .. 2^31 / places - 1. A handle is thus a positive int32 and never 0.
 */

/** The most timers in a set, which leaves 511 generations to a place. */
export const MAX_CAPACITY = 2 ** 22;

/** Throws a RangeError for a capacity outside 1 .. MAX_CAPACITY. */
export function assertCapacity(capacity: number): void {
  assertInteger("capacity", capacity, 1, MAX_CAPACITY);
}

/** The bits of a handle that are its place. Throws a RangeError for a capacity outside 1 .. MAX_CAPACITY. */
export function placeMask(capacity: number): number {
  assertCapacity(capacity);
  return capacity === 1 ? 0 : 0xffff_ffff >>> Math.clz32(capacity - 1);
}

/** The handle that a place gets after `handle`; also after `place` itself, which stands for generation 0. */
export function nextGeneration(handle: number, mask: number): number {
  const next = (handle + mask + 1) & 0x7fff_ffff;
  return next > mask ? next : next + mask + 1;
}

export function full(capacity: number): RangeError {
  return new RangeError(`all ${capacity} timers are in use`);
}

/**
 * Gives out handles and knows which are live, for competitors that keep no record of their own per timer. The place
 * freed last is used first: its line is still in the cache.
 */
export class Handles {
  readonly #capacity: number;
  readonly #mask: number;
  /** By place: the handle while live; while free, the last handle negated, or minus the place before the first. */
  readonly #current: Int32Array;
  readonly #free: Int32Array;
  #freeCount: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#current = Int32Array.from({ length: capacity }, (_, place) => -place);
    this.#free = Int32Array.from({ length: capacity }, (_, index) => capacity - 1 - index);
    this.#freeCount = capacity;
  }

  /** Throws a RangeError when all are live. */
  take(): number {
    if (this.#freeCount === 0) throw full(this.#capacity);
    const place = this.#free[--this.#freeCount]!;
    const handle = nextGeneration(-this.#current[place]!, this.#mask);
    this.#current[place] = handle;
    return handle;
  }

  /** For a live handle only. */
  release(handle: number): void {
    const place = handle & this.#mask;
    this.#current[place] = -handle;
    this.#free[this.#freeCount++] = place;
  }

  isLive(handle: number): boolean {
    return handle > 0 && this.#current[handle & this.#mask] === handle;
  }

  placeOf(handle: number): number {
    return handle & this.#mask;
  }
}
