import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";

/**
 * A time in shared memory that one worker raises and any number read. Times since the epoch take two words, which no
 * store writes at once; so there are two copies, and the epoch says which one counts.
 *
 * Progress: raising is wait-free; reading is lock-free: it starts again only where the time was raised meanwhile.
 * Threads: one worker at a time raises.
 *
 *     word 0     epoch: how often it was raised, modulo 2^32   written by the writer, read by all
 *     1, 2       low and high word while the epoch is even     written by the writer while it is odd, read by all
 *     3, 4       the same while it is odd                      written by the writer while it is even, read by all
 *     5 .. 31    dead, so that what is written often has no part in these lines
 */
export class Watermark {
  readonly #memory: Region;
  /** The epoch that `#ms` was read in. A handle that sleeps through exactly 2^32 raises would not notice. */
  #epoch = 0;
  #ms = 0;

  constructor(memory: Region) {
    this.#memory = memory;
    this.#read();
  }

  /** In ms, as it is now. */
  load(): number {
    if (this.hasRisen()) this.#read();
    return this.#ms;
  }

  /** In ms, as it was when last loaded: free of shared reads. */
  get ms(): number {
    return this.#ms;
  }

  /** Whether it was raised since it was last loaded. */
  hasRisen(): boolean {
    return Atomics.load(this.#memory, EPOCH) !== this.#epoch;
  }

  raise(ms: number): void {
    // From memory, not from what this handle has read: before it took over, another may have raised.
    const next = (Atomics.load(this.#memory, EPOCH) + 1) | 0;
    const copy = copyOf(next);
    Atomics.store(this.#memory, copy, ms | 0);
    Atomics.store(this.#memory, copy + 1, Math.floor(ms / 2 ** 32));
    Atomics.store(this.#memory, EPOCH, next);
    this.#epoch = next;
    this.#ms = ms;
  }

  #read(): void {
    for (;;) {
      const epoch = Atomics.load(this.#memory, EPOCH);
      const copy = copyOf(epoch);
      const low = Atomics.load(this.#memory, copy);
      const high = Atomics.load(this.#memory, copy + 1);
      // The copy is written again only by the raise after the next one; if the epoch stands, the two words are of one time.
      if (Atomics.load(this.#memory, EPOCH) !== epoch) continue;
      this.#epoch = epoch;
      this.#ms = high * 2 ** 32 + (low >>> 0);
      return;
    }
  }
}

/** All zero is the time 0. */
export const WATERMARK_WORDS = STRIDE_WORDS;

const EPOCH = 0;

function copyOf(epoch: number): number {
  return 1 + 2 * (epoch & 1);
}
