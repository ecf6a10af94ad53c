/**
 * The finaliser of MurmurHash3 (Austin Appleby, 2011): an int32 whose every bit depends on every bit of `key`, and
 * another one for every other key.
 */
export function scrambled(key: number): number {
  let bits = key;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Successive numbers at random, 0 .. 2^32 - 1, the same for the same seed (SplitMix: Steele, Lea & Flood 2014). */
export function* drawn(seed: number): Generator<number, never> {
  for (let at = scrambled(seed); ; at = (at + 0x9e3779b9) | 0) yield scrambled(at) >>> 0;
}
