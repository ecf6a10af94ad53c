/**
 * sfc32: Chris Doty-Humphrey's Small Fast Counting generator with 32-bit words (PractRand; the JavaScript form popularised
 * by bryc). The instrument draws orders, lengths of slices and seeds from it.
 *
 * The state is four int32 words in any Int32Array, accessed plainly: one thread at a time.
 *
 *     word 0  a        word 1  b        word 2  c        word 3  counter
 *
 * @internal
 */
export const SFC32_WORDS = 4;
const A = 0;
const B = 1;
const C = 2;
const COUNTER = 3;

/** Rounds that spread the seed through the state before first use (PractRand mixes 12 to 18 times by seed length). */
const MIXING_ROUNDS = 15;

/**
 * Puts the generator at `at` into the state that `seed` and `stream` (uint32 each) lead to.
 *
 * @internal
 */
export function seedSfc32(state: Int32Array, at: number, seed: number, stream = 0): void {
  state[at + A] = 0;
  state[at + B] = seed;
  state[at + C] = stream;
  state[at + COUNTER] = 1;
  for (let round = 0; round < MIXING_ROUNDS; round++) nextSfc32(state, at);
  state[at + COUNTER] = 1;
}

/**
 * The next 32 random bits, as an int32.
 *
 * @internal
 */
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

/** A generator of its own, by sfc32. */
export class Random {
  readonly #state = new Int32Array(SFC32_WORDS);

  /** `seed` and `stream` are uint32. */
  constructor(seed: number, stream = 0) {
    seedSfc32(this.#state, 0, seed, stream);
  }

  /**
   * Uniform integer in 0 .. bound - 1, for bound in 1 .. 2^21, by multiply and shift (Lemire 2019 without the rejection
   * step). The bias is below bound / 2^32 per value.
   */
  below(bound: number): number {
    return Math.floor(((nextSfc32(this.#state, 0) >>> 0) * bound) / 2 ** 32);
  }

  /** Uniform in [0, 1), 32 bits. */
  fraction(): number {
    return (nextSfc32(this.#state, 0) >>> 0) / 2 ** 32;
  }

  /** Shuffles `items` in place (Fisher-Yates in Durstenfeld's form) and returns them. */
  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const kept = items[last]!;
      items[last] = items[other]!;
      items[other] = kept;
    }
    return items;
  }
}

/** The uint32 that `seed` and `index` lead to. Neighbouring seeds, and neighbouring indices, have unrelated results. */
export function derivedSeed(seed: number, index: number): number {
  return Math.floor(new Random(seed, index).fraction() * 2 ** 32);
}
