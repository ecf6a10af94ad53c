/**
 * Ticks are often empty, so a wheel keeps one bit per slot that is set where the slot is not. A search then passes 32
 * empty slots per word. Slot s is bit s & 31 of word `bits` + (s >>> 5).
 */

/**
 * Slots from `from` forward to the next one whose bit is set, 1 .. limit, round the wheel and back to `from` itself at
 * most. 0 if there is none so near. `slots` is a power of two from 32 up, and only the low bits of `from` count.
 */
export function occupied(
  memory: Int32Array,
  bits: number,
  slots: number,
  from: number,
  limit: number,
): number {
  const first = (from + 1) & (slots - 1);
  let word = first >>> 5;
  let found = memory[bits + word]! >>> first;
  let distance = 1;
  if (found === 0) {
    distance += 32 - (first & 31);
    while (distance <= limit) {
      word = (word + 1) & ((slots >>> 5) - 1);
      found = memory[bits + word]!;
      if (found !== 0) break;
      distance += 32;
    }
    if (found === 0) return 0;
  }
  distance += 31 - Math.clz32(found & -found);
  return distance <= limit ? distance : 0;
}
