/**
 * xoshiro128**: Blackman and Vigna's all-purpose generator with 32-bit words ("Scrambled Linear Pseudorandom Number
 * Generators", 2021; xoshiro128starstar.c, version 1.1). A linear engine whose states form one cycle of 2^128 - 1, all
 * but zero. A scrambler hides its linearity, in the low bits too.
 *
 * The state is four int32 words in any Int32Array, private or shared. Thread rule: one thread at a time; a shared
 * state needs a lock around `nextXoshiro128`, which reads and writes all four words plainly. Unlike sfc32's, the state
 * does not show how many numbers were drawn.
 *
 *     words 0 .. 3   the engine's state, never all zero
 */
export const XOSHIRO128_WORDS = 4;

/**
 * Puts the generator at `at` into the state that `seed` and `stream` (uint32 each) lead to: two outputs of splitmix64,
 * as the authors advise. A generator of another kind leaves no likeness between similar seeds. Two different pairs
 * never lead to the same state, and none to zero. Splitmix64's outputs are a permutation of its states: the first
 * differs between pairs, and the second differs from the first.
 */
export function seedXoshiro128(state: Int32Array, at: number, seed: number, stream = 0): void {
  let mixer = (BigInt(stream >>> 0) << 32n) | BigInt(seed >>> 0);
  for (let word = 0; word < XOSHIRO128_WORDS; word += 2) {
    mixer = BigInt.asUintN(64, mixer + GOLDEN_GAMMA);
    const output = mixed(mixer);
    state[at + word] = Number(output & 0xffffffffn);
    state[at + word + 1] = Number(output >> 32n);
  }
}

/** The next 32 random bits, as an int32: `>>> 0` would leave the fast small-integer range of the engine. */
export function nextXoshiro128(state: Int32Array, at: number): number {
  const word0 = state[at]!;
  const word1 = state[at + 1]!;
  const word2 = state[at + 2]! ^ word0;
  const word3 = state[at + 3]! ^ word1;
  state[at] = word0 ^ word3;
  state[at + 1] = word1 ^ word2;
  state[at + 2] = word2 ^ (word1 << 9);
  state[at + 3] = rotatedLeft(word3, 11);
  return Math.imul(rotatedLeft(Math.imul(word1, 5), 7), 9);
}

function rotatedLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** 2^64 divided by the golden ratio, made odd: steps of this size visit all states, spread evenly from the start. */
const GOLDEN_GAMMA = 0x9e3779b97f4a7c15n;

/** Splitmix64's output function (Steele, Lea & Flood 2014, with Stafford's constants, variant 13). */
function mixed(mixer: bigint): bigint {
  let z = mixer;
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}
