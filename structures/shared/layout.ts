/**
 * How structures are laid out in shared memory.
 *
 * Every shared structure lives in one region: an Int32Array over a SharedArrayBuffer, whose length its competitor
 * states, which one thread formats once and every worker then attaches to. Structures nest by subarray.
 */
export type Region = Int32Array<SharedArrayBuffer>;

/**
 * Words that one thread writes and another uses stand this many bytes apart: two 64-byte cache lines, because
 * adjacent-line prefetch makes x86-64 share lines in pairs (the stride folly and crossbeam use).
 */
export const STRIDE_BYTES = 128;
export const STRIDE_WORDS = STRIDE_BYTES / Int32Array.BYTES_PER_ELEMENT;

/**
 * Allocates a region of `words` int32 words, zeroed, with one dead stride before and after it, so that no other
 * allocation shares its first or last line.
 */
export function allocateRegion(words: number): Region {
  const bytes = Math.max(1, words) * Int32Array.BYTES_PER_ELEMENT;
  return new Int32Array(new SharedArrayBuffer(bytes + 2 * STRIDE_BYTES), STRIDE_BYTES, Math.max(1, words));
}

/** WebAssembly counts memory in pages of this size. */
const PAGE_BYTES = 2 ** 16;

/**
 * The same in memory that WebAssembly code can use: a module takes a Memory, not a buffer, so the Memory has to travel
 * to the workers beside the region that views it.
 */
export function allocateLinear(words: number): {
  readonly linear: WebAssembly.Memory;
  readonly memory: Region;
} {
  const bytes = Math.max(1, words) * Int32Array.BYTES_PER_ELEMENT + 2 * STRIDE_BYTES;
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const linear = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  return { linear, memory: new Int32Array(linear.buffer, STRIDE_BYTES, Math.max(1, words)) };
}

/** `words` rounded up to whole strides: where the next thing may start without sharing a line. */
export function wholeStrides(words: number): number {
  return Math.ceil(words / STRIDE_WORDS) * STRIDE_WORDS;
}
