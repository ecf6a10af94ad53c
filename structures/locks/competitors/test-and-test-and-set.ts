import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * A spin lock that looks before it writes. While the lock is taken, waiters poll it by plain loads, which leave the
 * line where it is.
 *
 * Promise: mutual exclusion.
 * Progress: blocking. Not fair: the worker that exchanges first after a release has it, and no bound holds for the others.
 * Threads: any worker that attached; only the holder unlocks.
 * Cost: one exchange to lock and one store to unlock. While it waits, one load per poll and one exchange per
 *   POLLS_PER_EXCHANGE polls; a release sends every waiter to exchange at once.
 * Memory: 1 word. Pad it yourself where neighbours are hot.
 * Limits: waits on its core. With more workers than cores, a holder that was taken off its core comes back only when
 *   its waiters have used up their time. A holder that dies leaves it taken for ever. To unlock what is not
 *   held is not detected, and lets a second worker in. To lock what this worker holds is not detected, and waits for
 *   ever. No lockWithin and no lockAsync: an unlock wakes no sleeper.
 * Bet: beats test-and-set as soon as two workers want the lock, because waiting no longer disturbs the holder.
 * Source: Rudolph & Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors" (1984); Herlihy &
 *   Shavit, The Art of Multiprocessor Programming, ch. 7, TTASLock.
 *
 *     word 0  state: 0 free, 1 taken   written by every worker, atomically; read by waiting workers, plainly
 */
export default {
  summary: "test-and-test-and-set spin lock: plain loads while taken, then an exchange",
  source: "Rudolph & Segall 1984; Herlihy & Shavit, ch. 7, TTASLock",
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
        while (Atomics.exchange(memory, STATE, TAKEN) !== FREE) {
          spins++;
          // Plain loads, because they are inline code and Atomics.load is a call. A stale value is harmless: it only
          // says when to exchange, and the exchange decides. They are bounded, because a compiler may take a plain load
          // out of a loop. The exchange is then the only look at the lock that is certain to happen.
          for (let polls = 1; polls < POLLS_PER_EXCHANGE && memory[STATE] !== FREE; polls++) spins++;
        }
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
/** Polls between two exchanges: enough that the exchange costs the holder next to nothing. The exact count does not matter. */
const POLLS_PER_EXCHANGE = 1000;
