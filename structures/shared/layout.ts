import type { Traits } from "./traits.ts";

/**
 * How structures are laid out in shared memory.
 *
 * Every shared structure lives in one region: an Int32Array over a SharedArrayBuffer. Its competitor states the length,
 * one thread formats it once, and every worker then attaches to it. Structures nest by subarray.
 *
 * Declared without a type argument, which typed arrays take from TypeScript 5.7 on only.
 */
export interface Region extends Int32Array {
  readonly buffer: SharedArrayBuffer;
  subarray(begin?: number, end?: number): Region;
}

/** A shared WebAssembly.Memory, which the DOM library alone declares: users of the package need not have that. */
export interface LinearMemory {
  readonly buffer: SharedArrayBuffer;
}

/**
 * Words that one thread writes and another uses stand this many bytes apart: two 64-byte cache lines. Adjacent-line
 * prefetch makes x86-64 share lines in pairs; folly and crossbeam use the same stride.
 */
export const STRIDE_BYTES = 128;
export const STRIDE_WORDS = STRIDE_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** Where allocation gets its memory: see `allocateWith`. */
export interface Allocator {
  /** Zeroed bytes from `byteOffset` on, which is a multiple of STRIDE_BYTES, and used by nothing else to their end. */
  bytes(length: number): { readonly buffer: SharedArrayBuffer; readonly byteOffset: number };
  /** A shared Memory of that number of pages, zeroed. */
  linear(pages: number): LinearMemory;
}

/** A buffer of its own for each, with one dead stride before and after, so that no two share their first or last line. */
export const separate: Allocator = {
  bytes: (length) => ({
    buffer: new SharedArrayBuffer(length + 2 * STRIDE_BYTES),
    byteOffset: STRIDE_BYTES,
  }),
  linear: (pages) => new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }),
};

let allocator = separate;

/**
 * From now on this thread allocates with `other`, or separately again if it is undefined. For an instrument that lets
 * several structures use the same memory in turn; programs have no use for it.
 */
export function allocateWith(other: Allocator | undefined): void {
  allocator = other ?? separate;
}

/**
 * Allocates as this module does at the time. Given to `allocateWith` of another copy of this module, as structures of
 * another checkout have one, it makes both allocate alike.
 */
export const currentAllocator: Allocator = {
  bytes: (length) => allocator.bytes(length),
  linear: (pages) => allocator.linear(pages),
};

/** Allocates a region of `words` int32 words, zeroed, that shares no cache line with any other allocation. */
export function allocateRegion(words: number): Region {
  const length = Math.max(1, words);
  const { buffer, byteOffset } = allocator.bytes(length * Int32Array.BYTES_PER_ELEMENT);
  return new Int32Array(buffer, byteOffset, length);
}

/** The same for `length` bytes. */
export function allocateBytes(length: number): Uint8Array {
  const count = Math.max(1, length);
  const { buffer, byteOffset } = allocator.bytes(count);
  return new Uint8Array(buffer, byteOffset, count);
}

/** The same for `length` doubles. */
export function allocateDoubles(length: number): Float64Array {
  const count = Math.max(1, length);
  const { buffer, byteOffset } = allocator.bytes(count * Float64Array.BYTES_PER_ELEMENT);
  return new Float64Array(buffer, byteOffset, count);
}

/** WebAssembly counts memory in pages of this size. */
const PAGE_BYTES = 2 ** 16;
/** An address there has 32 bits. */
const MOST_LINEAR_BYTES = 2 ** 32;

/** Throws a RangeError for more words than a Memory has room for. */
export function assertLinearWords(words: number): void {
  const most = (MOST_LINEAR_BYTES - 2 * STRIDE_BYTES) / Int32Array.BYTES_PER_ELEMENT;
  if (words > most)
    throw new RangeError(`${words} words are more than a WebAssembly.Memory has room for, ${most}`);
}

/**
 * The same in memory that WebAssembly code can use, with dead strides as in `separate`. A module takes a Memory, not a
 * buffer, so the Memory has to travel to the workers beside the region that views it.
 */
export function allocateLinear(words: number): Required<Allocation> {
  assertLinearWords(words);
  const bytes = Math.max(1, words) * Int32Array.BYTES_PER_ELEMENT + 2 * STRIDE_BYTES;
  const linear = allocator.linear(Math.ceil(bytes / PAGE_BYTES));
  return { linear, memory: new Int32Array(linear.buffer, STRIDE_BYTES, Math.max(1, words)) };
}

/** A structure's memory; where WebAssembly code uses it, also the Memory that it views. Both travel to the workers. */
export interface Allocation {
  readonly memory: Region;
  readonly linear?: LinearMemory;
}

/** The memory that this competitor needs for `words` int32 words. */
export function allocateFor({ needsLinear }: Pick<Traits, "needsLinear">, words: number): Allocation {
  return needsLinear ? allocateLinear(words) : { memory: allocateRegion(words) };
}

/** `words` rounded up to whole strides: where the next thing may start without sharing a line. */
export function wholeStrides(words: number): number {
  return Math.ceil(words / STRIDE_WORDS) * STRIDE_WORDS;
}
