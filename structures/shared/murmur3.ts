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
