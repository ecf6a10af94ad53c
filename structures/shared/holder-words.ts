import { HOLDER, holderOf, numberOf, OWNER_DIED } from "./holder-bits.ts";
import type { Region } from "./layout.ts";
import { passInPlaceOf, TICKETS } from "./ticket-words.ts";

/**
 * Words that say which worker holds them. Once that worker has exited, any thread can free them in its place, from the
 * instance alone: its stamp says where they are. A robust mutex of pthreads has such a word, which the kernel finds at a
 * thread's exit (Linux, handle_futex_death, kernel/futex/core.c). holder-bits.ts says what stands in one.
 */
export interface HolderWords {
  /** Of the first such word. */
  readonly first: number;
  readonly count: number;
  /** From one of them to the next. */
  readonly strideWords: number;
  /** Of each such word, the workers that have a ticket word behind it (ticket-words.ts); absent where none has. */
  readonly tickets?: number;
}

/**
 * Frees each of these words that worker `index` holds, for an owner that died. Wakes a sleeper of every word. Call it
 * once no code of that worker runs, and before another has its index.
 */
export function freeHeldBy(
  memory: Region,
  { first, count, strideWords, tickets }: HolderWords,
  index: number,
): void {
  for (let at = first; at < first + count * strideWords; at += strideWords) {
    if (tickets !== undefined) {
      passInPlaceOf(memory.subarray(at, at + TICKETS + tickets), index);
      continue;
    }
    let state = Atomics.load(memory, at);
    while (holderOf(state) === numberOf(index)) {
      const seen = Atomics.compareExchange(memory, at, state, (state & ~HOLDER) | OWNER_DIED);
      if (seen === state) break;
      state = seen;
    }
    // Also where it held nothing. It may have been woken without coming to take the word, or have freed it without
    // coming to wake another. A sleeper that wakes for nothing announces itself again.
    Atomics.notify(memory, at, 1);
  }
}
