/**
 * A worker's private work between two operations of a shared structure: for example, a server parses a request before
 * it picks a backend for it. Back to back, operations meet others all the time, which is the worst case and not a usual
 * one.
 */

/** Lengths that scenarios have, as their names say them, and in rounds of `workedOn`. */
export const LOCAL_WORKS = [
  { label: "100ns", title: "0.1 us", rounds: 60 },
  { label: "1us", title: "1 us", rounds: 600 },
  // A slice should hold many operations, because workers start and stop on whole ones.
  { label: "10us", title: "10 us", rounds: 6_000, sliceMs: 1 },
] as const;

/**
 * Marsaglia's xorshift, `rounds` times on average. Its six instructions depend on one another and touch no memory, so a
 * busy sibling of the core hardly slows them down. 600 rounds took 0.99 us on an EPYC at about 3.6 GHz. A count and not
 * a time, because every competitor must do the same work.
 *
 * The number varies by 8 rounds to either side, with the low bits of `word`. Otherwise workers would fall into step: each
 * would come back just when the other has left, and never meet it again.
 */
export function workedOn(word: number, rounds: number): number {
  let worked = word;
  for (let left = rounds - 8 + (word & 15); left > 0; left--) {
    worked ^= worked << 13;
    worked ^= worked >>> 17;
    worked ^= worked << 5;
  }
  return worked;
}

/** Bytes of memory of its own that a worker reads between two operations, so that the nearest cache holds nothing else. */
export const COLD_BYTES = 2 ** 16;
const LINE_WORDS = 64 / Int32Array.BYTES_PER_ELEMENT;

/**
 * Reads a word of each line: more than the nearest data cache of a core holds, which is 32 to 48 kB on most. What a
 * structure keeps there is gone afterwards, to the next cache, where a program that does other work would find it.
 */
export function sweptOver(lines: Int32Array, from: number): number {
  // No sum of integers: one that overflows is a float to V8, and in some processes each word took ten times as long.
  let folded = from | 0;
  for (let word = 0; word < lines.length; word += LINE_WORDS) folded ^= lines[word]!;
  return folded;
}
