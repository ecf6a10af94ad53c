import type { Region } from "../../shared/layout.ts";
import { NO_KEY } from "./key.ts";

/** Keys that a stripe has room for. */
const MOST_OF_OWN = 28;

/** Words of a stripe for its suspects. */
export const SUSPECT_WORDS = 2 + MOST_OF_OWN;

/**
 * The keys of dead holders whose data nobody has mended, of one stripe. It has room for some. The others stand in words that
 * all stripes share, as a key that nobody asks for again stays for ever. Where those are full, too, every key of the stripe
 * is taken for a suspect from then on.
 *
 *     word 0  count    how many follow, or EVERY_KEY
 *     word 1  beyond   1 once some may stand in the shared words
 *     words 2 ..       suspects
 *
 *     shared words: word 0  used   words after it that have ever held a key
 *                   words 1 ..     a suspect of any stripe, or NO_KEY
 *
 * Only the holder of the stripe reads and writes its words, so plain accesses do, and in the shared words it looks for keys
 * that only such a holder writes. A holder may die between any two accesses: then its key is noted (stripe.ts), and no
 * suspect is lost. One may stand there twice.
 */
export class Suspects {
  readonly #own: Region;
  readonly #shared: Region;

  constructor(own: Region, shared: Region) {
    this.#own = own;
    this.#shared = shared;
  }

  has(key: number): boolean {
    const own = this.#own;
    const count = own[COUNT]!;
    if (count === EVERY_KEY || placeIn(own, FIRST, FIRST + count, key) !== NOWHERE) return true;
    return own[BEYOND] !== 0 && placeIn(this.#shared, 1, this.#used, key) !== NOWHERE;
  }

  add(key: number): void {
    const own = this.#own;
    const count = own[COUNT]!;
    if (this.has(key)) return;
    if (count < MOST_OF_OWN) {
      own[FIRST + count] = key;
      own[COUNT] = count + 1;
      return;
    }
    own[BEYOND] = 1;
    if (!this.#share(key)) own[COUNT] = EVERY_KEY;
  }

  delete(key: number): void {
    const own = this.#own;
    for (;;) {
      const last = FIRST + own[COUNT]! - 1;
      const at = placeIn(own, FIRST, last + 1, key);
      if (at === NOWHERE) break;
      own[at] = own[last]!;
      own[COUNT] = last - FIRST;
    }
    if (own[BEYOND] === 0) return;
    const shared = this.#shared;
    for (let at = 1; at < this.#used; at++) if (shared[at] === key) Atomics.store(shared, at, NO_KEY);
  }

  /** The first of the shared words that has never held a key. Stale, it is still beyond all keys of this stripe. */
  get #used(): number {
    return 1 + (this.#shared[USED] ?? 0);
  }

  /** Notes it in the shared words, and returns whether one was free. Holders of other stripes do so at the same time. */
  #share(key: number): boolean {
    const shared = this.#shared;
    for (let at = 1; at < shared.length; at++) {
      if (Atomics.load(shared, at) !== NO_KEY) continue;
      // First, or a holder that dies in between leaves a key where nobody looks.
      for (let used = Atomics.load(shared, USED); used < at; used = Atomics.load(shared, USED))
        Atomics.compareExchange(shared, USED, used, at);
      if (Atomics.compareExchange(shared, at, NO_KEY, key) === NO_KEY) return true;
    }
    return false;
  }
}

const COUNT = 0;
const BEYOND = 1;
const FIRST = 2;
const EVERY_KEY = -1;

const USED = 0;

const NOWHERE = -1;

function placeIn(words: Region, from: number, to: number, key: number): number {
  for (let at = from; at < to; at++) if (words[at] === key) return at;
  return NOWHERE;
}
