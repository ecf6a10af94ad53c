import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";

/**
 * A stride for each event loop, so that a beat disturbs no other loop.
 *
 *     word 0  beat     the loop's thread: how often it has beaten, modulo 2^32
 *     word 1  holder   the loop's thread: the value of its seat (shared/instance.ts); 0 before the first and after the last
 *     word 2  thread   the loop's thread: its number, 0 for the main thread
 *     word 3  hung     the watching thread: for how many ms it has hung, 0 where it runs
 *     word 4  hangs    the watching thread: how many hangs it has seen
 *
 * All are read by any thread, atomically.
 */
export const LOOP_WORDS = STRIDE_WORDS;
export const BEAT = 0;
export const HOLDER = 1;
export const THREAD = 2;
export const HUNG_MS = 3;
export const HANGS = 4;

/** The seat whose holder is the `generation`-th after the first, as `seats` shows it. */
export function seatOf({ generation = 0 }: { readonly generation?: number }): number {
  return 2 * generation + 1;
}

/** What one loop's thread does with its words. */
export class Beating {
  readonly #words: Region;
  readonly #at: number;
  #beats: number;

  constructor(words: Region, loop: number, worker: { readonly generation?: number }, threadId: number) {
    this.#words = words;
    this.#at = loop * LOOP_WORDS;
    this.#beats = Atomics.load(words, this.#at + BEAT);
    Atomics.store(words, this.#at + THREAD, threadId);
    // Last: from now on it is watched, and this counts as a beat.
    Atomics.store(words, this.#at + HOLDER, seatOf(worker));
  }

  beat(): void {
    Atomics.store(this.#words, this.#at + BEAT, ++this.#beats);
  }

  stop(): void {
    Atomics.store(this.#words, this.#at + HOLDER, 0);
  }
}
