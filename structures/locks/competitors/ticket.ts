import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * A lock with a queue made of two numbers: a worker that comes takes the next ticket and waits until that is served.
 *
 * Promise: mutual exclusion; first come, first served, where to come is to take a ticket.
 * Progress: blocking. Fair: no worker that comes later goes in earlier.
 * Threads: any worker that attached; only the holder unlocks.
 * Cost: one add and one load to lock, one store to unlock. Every release invalidates the line that all waiters poll.
 * Memory: two words, a stride apart, so that to take a ticket does not disturb the waiters.
 * Limits: the lock goes to the next in line even when that worker is off its core, and no other can have it meanwhile.
 *   So with more workers than cores a waiter that has polled POLLS_BEFORE_YIELD times in vain leaves its core for
 *   YIELD_MS at a time. Nothing wakes it, and a release may wait for it that long. Without this a release may wait for
 *   the time slices of all pollers. A holder that dies leaves it taken for ever, a waiter that dies does so when its
 *   turn comes. To unlock what is not held is not detected. One turn is then served twice or never, and the lock
 *   is dead for good or lets a second worker in. To lock what this worker holds is not detected: it and all later
 *   workers wait for ever. No lockWithin and no lockAsync: a ticket cannot be given back.
 * Bet: lost as soon as there are more workers than cores; before that, the price of fairness.
 * Source: Mellor-Crummey & Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors" (1991);
 *   the tickets are Lamport's bakery (1974).
 *
 *     word 0    next      the next ticket, int32, wraps    written and read by every worker, atomically
 *     word 32   serving   the ticket that may go in        written by the holder, atomically; read by waiting workers,
 *                                                          plainly and atomically
 */
export default {
  summary: "ticket lock, first come first served; leaves its core for a moment when it waits for long",
  source: "Mellor-Crummey & Scott 1991, after Lamport's bakery",
  progress: "blocking",
  deadHolder: "keeps",

  words: () => SERVING + 1,

  format(memory) {
    Atomics.store(memory, NEXT, 0);
    Atomics.store(memory, SERVING, 0);
  },

  attach(memory): Lock {
    let spins = 0;
    let parks = 0;
    return {
      lock() {
        const mine = Atomics.add(memory, NEXT, 1);
        for (let serving = Atomics.load(memory, SERVING); serving !== mine; ) {
          // A stale value of these plain loads is harmless. They only show when to look again by Atomics.load, which
          // also orders the holder's work after that of the last holder. Bounded, as a compiler may take them out of
          // the loop.
          let polls = 1;
          while (polls < POLLS_BEFORE_YIELD && memory[SERVING] !== mine) polls++;
          spins += polls;
          if (
            polls === POLLS_BEFORE_YIELD &&
            Atomics.wait(memory, SERVING, serving, YIELD_MS) !== "not-equal"
          ) {
            parks++;
          }
          serving = Atomics.load(memory, SERVING);
        }
      },
      // Where the ticket being served is also the next one, the lock is free and no worker waits. It is still being
      // served when the compareExchange takes it, as only its holder moves on.
      tryLock() {
        const serving = Atomics.load(memory, SERVING);
        return Atomics.compareExchange(memory, NEXT, serving, (serving + 1) | 0) === serving;
      },
      unlock() {
        // The plain load is not stale: only the holder writes this word, and this worker saw the last one's store.
        Atomics.store(memory, SERVING, (memory[SERVING]! + 1) | 0);
      },
      get spins() {
        return spins;
      },
      get parks() {
        return parks;
      },
    };
  },
} satisfies LockCompetitor;

const NEXT = 0;
const SERVING = NEXT + STRIDE_WORDS;
/** Polls: several times the longest section raced, still less time than leaving the core and coming back. */
const POLLS_BEFORE_YIELD = 20_000;
/** The slack that Linux adds to any sleep (prctl(2), PR_SET_TIMERSLACK): to ask for less does not return sooner. */
const YIELD_MS = 0.05;
