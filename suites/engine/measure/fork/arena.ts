import {
  type Allocator,
  type LinearMemory,
  type Region,
  STRIDE_BYTES,
  STRIDE_WORDS,
  separate,
} from "../../words/layout.ts";

/**
 * One piece of memory that all crews of a process use in turn.
 *
 * Where contended words lie changes what they cost by 1 to 5 %, for seconds. Structures of some megabytes, each on
 * memory of its own, push one another out of the caches. So every crew is formatted and attached in the same place.
 * What it left there is copied out, and in again before its next slice. Its place is then the same as its rivals', and
 * the copying is also what fills the caches. Another process has its arena elsewhere, so that no one place decides.
 *
 * Thread rules: one crew at a time is in the arena, and marks itself there. The coordinator does it while it attaches
 * the crew, worker 0 from before it copies the state in until it has copied it out. While a crew is being prepared and
 * attached, the coordinator and its workers allocate from here, one after the other. The first free byte is shared so
 * that all continue where the last one stopped.
 */
export interface Arena {
  readonly buffer: SharedArrayBuffer;
  /**
   * Words about the arena, outside of it. All are accessed atomically.
   *
   *     stride 0, word 0  next      the first free byte                          the thread that is allocating
   *     stride 1, word 0  resident  number of the crew that is in it, or NOBODY  that crew's worker 0, coordinator
   */
  readonly book: Region;
  /** Memories that WebAssembly code can use, by pages: made when first asked for. */
  readonly linears: Map<number, LinearMemory>;
}

// As in gate.ts: taken before any competitor is loaded.
const { compareExchange, load, store } = Atomics;
const { apply } = Reflect;
const { set } = Int32Array.prototype;

const NEXT = 0;
const RESIDENT = STRIDE_WORDS;
const BOOK_WORDS = 2 * STRIDE_WORDS;

/** No crew's number: they count from 1. */
export const NOBODY = 0;

/** WebAssembly counts memory in pages of this size. */
const PAGE_BYTES = 2 ** 16;

/** Reserved and not committed: an operating system gives pages where they are touched. */
export function makeArena(bytes: number): Arena {
  const buffer = new SharedArrayBuffer(bytes);
  const book = new Int32Array(new SharedArrayBuffer(BOOK_WORDS * Int32Array.BYTES_PER_ELEMENT));
  return { buffer, book, linears: new Map() };
}

/** Enters for a crew. Returns NOBODY, or the number of the crew that is in the arena already. */
export function enterArena({ book }: Pick<Arena, "book">, crew: number): number {
  return compareExchange(book, RESIDENT, NOBODY, crew);
}

/** Leaves for a crew. Nothing happens where it is not in the arena. */
export function leaveArena({ book }: Pick<Arena, "book">, crew: number): void {
  compareExchange(book, RESIDENT, crew, NOBODY);
}

/**
 * Allocates in an arena for one thread while one crew is prepared or attached. What does not fit, and a second Memory of
 * as many pages, lies elsewhere, as without an arena; `strays` counts these.
 */
export class ArenaAllocator implements Allocator {
  strays = 0;
  /** Memories that the crew whose turn it is has taken. */
  readonly taken: LinearMemory[] = [];
  readonly #arena: Arena;

  constructor(arena: Arena, taken: readonly LinearMemory[] = []) {
    this.#arena = arena;
    this.taken.push(...taken);
  }

  bytes(length: number) {
    const { buffer, book } = this.#arena;
    const byteOffset = load(book, NEXT);
    // A dead stride between two allocations, so that they share no line.
    const end = byteOffset + Math.ceil(length / STRIDE_BYTES) * STRIDE_BYTES + STRIDE_BYTES;
    if (end > buffer.byteLength) {
      this.strays++;
      return { buffer: new SharedArrayBuffer(length + 2 * STRIDE_BYTES), byteOffset: STRIDE_BYTES };
    }
    store(book, NEXT, end);
    return { buffer, byteOffset };
  }

  linear(pages: number): LinearMemory {
    const { linears } = this.#arena;
    const known = linears.get(pages);
    if (known !== undefined && !this.taken.includes(known)) {
      this.taken.push(known);
      return known;
    }
    const made = separate.linear(pages);
    if (known === undefined) {
      linears.set(pages, made);
      this.taken.push(made);
    } else {
      this.strays++;
    }
    return made;
  }
}
// A competitor may import this module, too.
Object.freeze(ArenaAllocator.prototype);

/**
 * Enters what a worker's allocator has taken besides, in the arena and among what its crew has `taken`. A Memory comes
 * by message as another object for the same: the coordinator had not made it, or knows it already.
 */
export function enterTaken(
  { linears }: Arena,
  taken: LinearMemory[],
  byWorker: readonly LinearMemory[],
): void {
  for (const memory of byWorker) {
    const pages = memory.buffer.byteLength / PAGE_BYTES;
    const known = linears.get(pages) ?? memory;
    linears.set(pages, known);
    taken.push(known);
  }
}

/** A part of the arena, and where one crew's state of it is kept while others run. */
export interface Copy {
  readonly place: Region;
  readonly kept: Region;
}

/** Empties the arena for the crew that has entered and is to be attached. */
export function clearArena({ buffer, book, linears }: Arena): void {
  new Int32Array(buffer, 0, load(book, NEXT) / Int32Array.BYTES_PER_ELEMENT).fill(0);
  store(book, NEXT, 0);
  for (const { buffer: linear } of linears.values()) new Int32Array(linear).fill(0);
}

/** Copies what the crew that was attached last has in the arena out of it, and says where it is kept. */
export function keepState({ buffer, book }: Arena, taken: readonly LinearMemory[]): Copy[] {
  const words = load(book, NEXT) / Int32Array.BYTES_PER_ELEMENT;
  const places = [
    ...(words > 0 ? [new Int32Array(buffer, 0, words)] : []),
    ...taken.map((memory) => new Int32Array(memory.buffer)),
  ];
  return places.map((place) => {
    const kept = new Int32Array(new SharedArrayBuffer(place.byteLength));
    kept.set(place);
    return { place, kept };
  });
}

export function copyIn(copies: readonly Copy[]): void {
  for (const { place, kept } of copies) apply(set, place, [kept]);
}

export function copyOut(copies: readonly Copy[]): void {
  for (const { place, kept } of copies) apply(set, kept, [place]);
}

/**
 * Whether the arena contains what was copied out of it last: else a stranger wrote there. That takes 0.4 ms for 8 MB,
 * about as long as copying them, and half a microsecond for the 16 kB of a small structure.
 */
export function isUntouched(copies: readonly Copy[]): boolean {
  return copies.every(({ place, kept }) => bytesOf(place).equals(bytesOf(kept)));
}

function bytesOf({ buffer, byteOffset, byteLength }: Region): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
