/**
 * The instrument's own words in shared memory, and where the memory of what it races comes from.
 *
 * The declaration takes no type argument, because typed arrays take one from TypeScript 5.7 on only.
 */
export interface Region extends Int32Array {
  readonly buffer: SharedArrayBuffer;
  subarray(begin?: number, end?: number): Region;
}

/** A shared WebAssembly.Memory, which only the DOM library declares. */
export interface LinearMemory {
  readonly buffer: SharedArrayBuffer;
}

/**
 * Words that one thread writes and another uses stand this many bytes apart: two 64-byte cache lines. The adjacent-line
 * prefetch of x86-64 fetches lines in pairs.
 */
export const STRIDE_BYTES = 128;
export const STRIDE_WORDS = STRIDE_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** Where shared memory comes from. */
export interface Allocator {
  /** Zeroed bytes from `byteOffset` on, a multiple of STRIDE_BYTES. No other allocation shares their last line. */
  bytes(length: number): { readonly buffer: SharedArrayBuffer; readonly byteOffset: number };
  /** A shared Memory of that number of pages of 64 KiB, zeroed. */
  linear(pages: number): LinearMemory;
}

/** TypeScript declares it with the DOM alone. */
const { Memory } = (globalThis as unknown as { readonly WebAssembly: { readonly Memory: MakeMemory } })
  .WebAssembly;
type MakeMemory = new (limits: { initial: number; maximum: number; shared: true }) => LinearMemory;

/**
 * A buffer for each allocation, with an unused stride on either side.
 *
 * @internal
 */
export const separate: Allocator = {
  bytes: (length) => ({
    buffer: new SharedArrayBuffer(length + 2 * STRIDE_BYTES),
    byteOffset: STRIDE_BYTES,
  }),
  linear: (pages) => new Memory({ initial: pages, maximum: pages, shared: true }),
};

let current = separate;

/**
 * From now on `currentAllocator` of this thread allocates by `allocator`, or separately again if it is undefined.
 *
 * @internal
 */
export function allocateWith(allocator: Allocator | undefined): void {
  current = allocator ?? separate;
}

/**
 * What a lab's loader hands to the code that competitors allocate with (see `Lab.load`): so that several competitors can
 * use the same memory in turn.
 *
 * @internal
 */
export const currentAllocator: Allocator = {
  bytes: (length) => current.bytes(length),
  linear: (pages) => current.linear(pages),
};

/** `words` zeroed int32 words, at least one, by the current allocator: they share no cache line with any other allocation. */
export function allocateRegion(words: number): Region {
  const length = Math.max(1, words);
  const { buffer, byteOffset } = current.bytes(length * Int32Array.BYTES_PER_ELEMENT);
  return new Int32Array(buffer, byteOffset, length);
}
