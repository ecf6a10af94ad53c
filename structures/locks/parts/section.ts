import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";

/**
 * A critical section that detects a second worker, after the Concurrency Kit's test of its spin locks. The worker
 * inside raises shared words by plain increments, checks that they are as high as it raised them, and takes them down
 * again. The next to enter checks that they are down. Two workers inside at once make one of them see a wrong height or
 * lose each other's steps. Every later entry sees steps once lost.
 *
 * Only the first height is checked, as every step on it has a counterpart on the others. The other heights are work,
 * which gives a second worker time to come.
 *
 * It is at once the proof and the work of a race: plain loads and stores of shared words, as many as `passes` says.
 * All accesses are plain because the lock under examination is what must order them; a stale value here is the finding.
 *
 *     word 0         entries   acquisitions, int32, wraps; read at the entry and written at the exit, so that any
 *                              overlap of two holders loses one
 *     words 16 .. 23 height    0 at rest, `passes` in the middle of a section; in a line of their own
 */
export const SECTION_WORDS = STRIDE_WORDS;
export const ENTRIES = 0;
const HEIGHT = 16;
/**
 * Each pass steps on every one of these words in turn, so that no step waits for the store of the one before it. Cores
 * differ severalfold in how fast they forward a store to a load of the same word.
 */
const HEIGHT_WORDS = 8;

/** One worker's way through the section. Not to be passed to another thread. */
export class CriticalSection {
  /** Entries since construction that saw company. */
  violations = 0;
  readonly #words: Region;
  readonly #passes: number;
  #entry = 0;

  /** `words` are SECTION_WORDS zeroed words; `passes`, 0 or more, is the same for all workers. */
  constructor(words: Region, passes: number) {
    this.#words = words;
    this.#passes = passes;
  }

  /** Call when holding the lock. Returns which entry this is, an int32 from 0 that wraps. */
  enter(): number {
    const words = this.#words;
    const passes = this.#passes;
    this.#entry = words[ENTRIES]!;
    const wasEmpty = words[HEIGHT] === 0;
    for (let pass = 0; pass < passes; pass++) {
      for (let word = HEIGHT; word < HEIGHT + HEIGHT_WORDS; word++) words[word]!++;
    }
    if (!wasEmpty || words[HEIGHT] !== passes) this.violations++;
    return this.#entry;
  }

  /** Call before releasing the lock. */
  leave(): void {
    const words = this.#words;
    const passes = this.#passes;
    for (let pass = 0; pass < passes; pass++) {
      for (let word = HEIGHT; word < HEIGHT + HEIGHT_WORDS; word++) words[word]!--;
    }
    words[ENTRIES] = this.#entry + 1;
  }
}
