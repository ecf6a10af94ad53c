import type { Region } from "../../words/layout.ts";
import { nowNs } from "../machine/clock.ts";

/**
 * The handover of a slice: how long a cache line takes from the core of one worker to that of another, in ns. It is
 * measured right before the slice's window.
 *
 * On a virtual machine the two cores may be neighbours now and in different parts of the processor a second later. Private
 * code costs the same in either place, so that a tag does not show it. On the machine where it was found a line took 55
 * or 190 ns. An addition to a word that two workers share then took 47 or 34 ns. A ticket lock of a short section took
 * 260 or 920.
 *
 * Thread rules: worker 0 serves, worker 1 returns; both spin on one word that counts up, for a few microseconds. No other
 * worker touches it.
 */

// As in gate.ts: taken before any competitor is loaded.
const { compareExchange, load, store } = Atomics;

/** The word as it begins and ends. */
const IDLE = 0;
/** Worker 0 has served, and worker 1 has not come yet. From here on worker 1 makes the count even, and worker 0 odd. */
const SERVED = 1;
/** The line and the code are in the caches from here on. */
const FIRST = 10;
const LAST = 42;
/** Worker 1 ends its batch before it comes. After this long worker 0 gives up, in ns. */
const PATIENCE_NS = 2_000_000;

/** Worker 0's side, while worker 1 calls `returnHandover` again and again. 0 where worker 1 did not come in time. */
export function serveHandover(words: Region, word: number): number {
  const untilNs = nowNs() + PATIENCE_NS;
  store(words, word, SERVED);
  while (load(words, word) === SERVED && nowNs() < untilNs);
  if (compareExchange(words, word, SERVED, IDLE) === SERVED) return 0;
  let begunNs = 0;
  for (let count = SERVED + 1; count < LAST; count += 2) {
    if (count === FIRST) begunNs = nowNs();
    store(words, word, count + 1);
    while (load(words, word) !== count + 2);
  }
  const handoverNs = (nowNs() - begunNs) / (LAST - FIRST);
  store(words, word, IDLE);
  return handoverNs;
}

/** Worker 1's side: returns at once unless worker 0 has served. */
export function returnHandover(words: Region, word: number): void {
  if (compareExchange(words, word, SERVED, SERVED + 1) !== SERVED) return;
  for (let count = SERVED + 2; count < LAST; count += 2) {
    while (load(words, word) !== count);
    store(words, word, count + 1);
  }
}
