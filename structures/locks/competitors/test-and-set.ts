import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * The oracle: one word, exchanged for "taken" until the exchange finds it free.
 *
 * Promise: mutual exclusion.
 * Progress: blocking. Not fair: the worker that exchanges first after a release has it, and no bound holds for the others.
 * Threads: any worker that attached; only the holder unlocks.
 * Cost: one exchange to lock and one store to unlock. While it waits, every poll is a write that takes the line away
 *   from the holder.
 * Memory: 1 word. Pad it yourself where neighbours are hot.
 * Limits: waits on its core. With more workers than cores, a holder that was taken off its core comes back only when
 *   its waiters have used up their time. A holder that dies leaves it taken for ever. To unlock what is not
 *   held is not detected, and lets a second worker in. To lock what this worker holds is not detected, and waits for
 *   ever. No lockWithin and no lockAsync: an unlock wakes no sleeper.
 * Bet: none; it is here because it is obviously right.
 * Source: Maurice Herlihy & Nir Shavit, The Art of Multiprocessor Programming, ch. 7, TASLock.
 *
 *     word 0  state: 0 free, 1 taken   written and read by every worker, atomically
 */
export default {
  summary: "oracle: test-and-set spin lock, an exchange per poll",
  source: "Herlihy & Shavit, The Art of Multiprocessor Programming, ch. 7, TASLock",
  progress: "blocking",
  deadHolder: "keeps",

  words: () => 1,

  format(memory) {
    Atomics.store(memory, STATE, FREE);
  },

  attach(memory): Lock {
    let spins = 0;
    return {
      lock() {
        while (Atomics.exchange(memory, STATE, TAKEN) !== FREE) spins++;
      },
      tryLock: () => Atomics.exchange(memory, STATE, TAKEN) === FREE,
      unlock() {
        Atomics.store(memory, STATE, FREE);
      },
      get spins() {
        return spins;
      },
      parks: 0,
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
