import type { Region } from "../../shared/layout.ts";

/**
 * Counts that one thread raises and any thread reads, without a lock and without a read-modify-write.
 *
 * A cell is three int32 words. The low word has the lower 31 bits of the count, and a tag in its sign bit. The tag says
 * which of the two high words goes with it. Where the lower bits overflow, the writer first puts the new upper bits into
 * the other high word, which is not in use. Then it stores the low word with the other tag. So each `add` takes effect
 * in one store of the low word. A writer may be terminated before or after it, and the cell is whole.
 *
 *     word at             lower 31 bits, and the tag          written by the worker of the cell, read by anyone
 *     word at + apart     upper bits where the tag is 0       likewise
 *     word at + 2 apart   upper bits where the tag is 1       likewise
 *
 * A reader notes both high words, then the low word, then looks at the high word of that tag again. High words never
 * fall. If it is what it was, it was that while the low word was read, and the two belong together. If not, the
 * writer has overflowed twice meanwhile, and the reader starts again.
 *
 * Counts are exact up to 2^53, beyond which the reader's number is rounded. At 2^62 a cell stops.
 *
 * Source: one word that validates the others is a seqlock (Lameter, "Effective synchronization on Linux/NUMA systems",
 * 2005). Two copies, of which the writer changes the unused one, are Lamport's and Peterson's ("Concurrent reading and
 * writing", 1977; "Concurrent reading while writing", 1983).
 */
export interface CellLayout {
  /** Word of the first cell. */
  readonly first: number;
  /** Words from one cell to the next. */
  readonly step: number;
  /** Words from a low word to its high words. */
  readonly apart: number;
}

export const WORDS_OF_CELL = 3;

const LOW_BITS = 2 ** 31 - 1;
const TAG = -(2 ** 31);
const CARRY = 2 ** 31;
const MOST_HIGH = 2 ** 31 - 1;

/** The cells of one worker, as it raises them itself. */
export class OwnCells {
  readonly #memory: Region;
  readonly #first: number;
  readonly #step: number;
  readonly #apart: number;

  constructor(memory: Region, { first, step, apart }: CellLayout) {
    this.#memory = memory;
    this.#first = first;
    this.#step = step;
    this.#apart = apart;
  }

  /** Raises a cell by an integer of 0 or more. */
  add(cell: number, n: number): void {
    const memory = this.#memory;
    const at = this.#first + cell * this.#step;
    // Plain: no other thread writes it. Another worker may have had the seat before, and freeing it came between.
    const word = memory[at]!;
    if (n <= LOW_BITS - (word & LOW_BITS)) Atomics.store(memory, at, word + n);
    else this.#carry(at, word, n);
  }

  #carry(at: number, word: number, n: number): void {
    const memory = this.#memory;
    const apart = this.#apart;
    const [used, unused] = word < 0 ? [2, 1] : [1, 2];
    // The parts of n one by one, because their sum with a count may be no number of its own.
    const upper = Math.floor(n / CARRY);
    const lower = (word & LOW_BITS) + (n - upper * CARRY);
    const carry = lower > LOW_BITS ? 1 : 0;
    const high = memory[at + used * apart]! + upper + carry;
    const isFull = high > MOST_HIGH;
    const low = isFull ? LOW_BITS : lower - carry * CARRY;
    Atomics.store(memory, at + unused * apart, isFull ? MOST_HIGH : high);
    Atomics.store(memory, at, unused === 2 ? low + TAG : low);
  }
}

/** The count of the cell whose low word is `at`. */
function readCell(memory: Region, at: number, apart: number): number {
  for (;;) {
    const even = Atomics.load(memory, at + apart);
    const odd = Atomics.load(memory, at + 2 * apart);
    const word = Atomics.load(memory, at);
    const high = word < 0 ? odd : even;
    if (Atomics.load(memory, at + (word < 0 ? 2 : 1) * apart) === high)
      return high * CARRY + (word & LOW_BITS);
  }
}

/** The same cell of several workers, added up. */
export function readCells(memory: Region, layouts: readonly CellLayout[], cell: number): number {
  let count = 0;
  for (const { first, step, apart } of layouts) count += readCell(memory, first + cell * step, apart);
  return count;
}
