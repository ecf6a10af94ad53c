/**
 * sfc32: Chris Doty-Humphrey's Small Fast Counting generator with 32-bit words (PractRand; the JavaScript form
 * popularised by bryc). Three mixing words and a counter. The shortest cycle is 2^32, and the counter shows how many
 * numbers were drawn.
 *
 * The state is four int32 words in any Int32Array, private or shared. Thread rule: one thread at a time; a shared
 * state needs a lock around `nextSfc32`, which reads and writes all four words plainly.
 *
 *     word 0  a        word 1  b        word 2  c        word 3  counter
 */
export const SFC32_WORDS = 4;
const A = 0;
const B = 1;
const C = 2;
const COUNTER = 3;

/** Counter value that `seedSfc32` leaves behind: draws made since seeding = counter - this. */
export const SFC32_FIRST_COUNT = 1;

/** Rounds that spread the seed through the state before first use (PractRand mixes 12 to 18 times by seed length). */
const MIXING_ROUNDS = 15;

/** Puts the generator at `at` into the state that `seed` and `stream` (uint32 each) lead to. */
export function seedSfc32(state: Int32Array, at: number, seed: number, stream = 0): void {
  state[at + A] = 0;
  state[at + B] = seed;
  state[at + C] = stream;
  state[at + COUNTER] = 1;
  for (let round = 0; round < MIXING_ROUNDS; round++) nextSfc32(state, at);
  state[at + COUNTER] = SFC32_FIRST_COUNT;
}

/** The next 32 random bits, as an int32: `>>> 0` would leave the fast small-integer range of the engine. */
export function nextSfc32(state: Int32Array, at: number): number {
  const a = state[at + A]!;
  const b = state[at + B]!;
  const c = state[at + C]!;
  const counter = state[at + COUNTER]!;
  const output = (a + b + counter) | 0;
  state[at + A] = b ^ (b >>> 9);
  state[at + B] = (c + (c << 3)) | 0;
  state[at + C] = (((c << 21) | (c >>> 11)) + output) | 0;
  state[at + COUNTER] = (counter + 1) | 0;
  return output;
}

/** Numbers drawn since seeding, modulo 2^32. */
export function drawsOfSfc32(state: Int32Array, at: number): number {
  return (state[at + COUNTER]! - SFC32_FIRST_COUNT) >>> 0;
}

/** A private generator for code that is not itself raced: shuffles, workloads, plans. */
export class Random {
  readonly #state = new Int32Array(SFC32_WORDS);

  constructor(seed: number, stream = 0) {
    seedSfc32(this.#state, 0, seed, stream);
  }

  /** Uniform integer in 0 .. bound - 1, for bound in 1 .. 2^21 (the product below stays exact in a double). */
  below(bound: number): number {
    return bounded(nextSfc32(this.#state, 0), bound);
  }

  /** Uniform in [0, 1), 32 bits. */
  fraction(): number {
    return (nextSfc32(this.#state, 0) >>> 0) / 2 ** 32;
  }

  /** Fisher-Yates (Durstenfeld's in-place form, as the source document gives it); shuffles and returns `items`. */
  shuffle<T extends { [index: number]: unknown; readonly length: number }>(items: T): T {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const kept = items[last];
      items[last] = items[other];
      items[other] = kept;
    }
    return items;
  }
}

/**
 * Maps 32 random bits to 0 .. bound - 1 by multiply and shift (Lemire 2019 without the rejection step). The bias is
 * below bound / 2^32 per value, one part in 500 million at 8.
 */
export function bounded(bits: number, bound: number): number {
  return Math.floor(((bits >>> 0) * bound) / 2 ** 32);
}
