import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";
import { lockedTwice, unlockedFree } from "../parts/misuse.ts";

/**
 * The queue lock of Mellor-Crummey & Scott. A worker puts its node at the tail and links it to the node before. It
 * polls a flag in its own node, which its predecessor clears.
 *
 * Promise: mutual exclusion; first come, first served, where to come is to exchange the tail.
 * Progress: blocking. Fair: no worker that comes later goes in earlier.
 * Threads: any worker that attached, one handle for each worker; only the holder unlocks.
 * Cost: uncontended, one exchange to lock, one load and one compareExchange to unlock. Contended, one store to join and
 *   one store to hand over, each to a line that one other worker polls.
 * Memory: one stride for the tail and one for each worker's node.
 * Limits: waits on its core and never sleeps. The lock goes to the next in line even when that worker is off its core,
 *   and no other can have it meanwhile. With more workers than cores a release waits for the time slices of workers
 *   that poll. A holder that dies leaves it taken for ever, a waiter that dies does so when its turn comes. To unlock a
 *   free lock throws where the handle's last hold had no successor. Elsewhere, unlocking a lock that is not held is not
 *   detected, and hangs or lets a second worker in. To lock what this worker holds throws while no other waits for it;
 *   else all wait for ever. No lockWithin and no lockAsync: a place in the queue cannot be given up.
 * Bet: without a sleep to announce and to look for it hands over faster than mcs-spin-then-park, as long as every worker
 *   has a core.
 * Source: Mellor-Crummey & Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors" (1991),
 *   the list-based queuing lock.
 *
 *     word 0                   tail     node of the last in line, 0 when free   every worker, atomically
 *     word 32 * node           flag     0 granted, 1 waiting                    its worker and the one before,
 *                                                                               atomically; its worker also plainly
 *     word 32 * node + 1       next     node of the next in line, 0 for none    its worker and the one after,
 *                                                                               atomically; its worker also plainly
 *
 * Nodes are numbered from 1: worker s has node s + 1.
 */
export default {
  summary: "MCS queue lock: each waiter polls a line of its own and never sleeps",
  source: "Mellor-Crummey & Scott 1991",
  progress: "blocking",
  deadHolder: "keeps",

  words: (workers) => (1 + workers) * STRIDE_WORDS,

  format(memory) {
    memory.fill(0);
    Atomics.store(memory, TAIL, NONE);
  },

  attach(memory, worker): Lock {
    const node = worker.index + 1;
    const flag = flagOf(node);
    const next = nextOf(node);
    let spins = 0;

    /** Polls a word of this worker's node until it is no longer `value`; returns what it is then. */
    const awaitOther = (word: number, value: number): number => {
      for (;;) {
        const seen = Atomics.load(memory, word);
        if (seen !== value) return seen;
        spins++;
      }
    };

    return {
      lock() {
        // Plain stores to the node, which is this worker's alone: until it is the tail, and until the one before knows.
        memory[next] = NONE;
        const before = Atomics.exchange(memory, TAIL, node);
        if (before === NONE) return;
        if (before === node) throw lockedTwice();
        memory[flag] = WAITING;
        Atomics.store(memory, nextOf(before), node);
        awaitOther(flag, WAITING);
      },
      tryLock() {
        // Where it is taken, perhaps by this very worker, the node may be in the queue and is left alone.
        if (Atomics.load(memory, TAIL) !== NONE) return false;
        memory[next] = NONE;
        return Atomics.compareExchange(memory, TAIL, NONE, node) === NONE;
      },
      unlock() {
        let after = Atomics.load(memory, next);
        if (after === NONE) {
          const tail = Atomics.compareExchange(memory, TAIL, node, NONE);
          if (tail === node) return;
          if (tail === NONE) throw unlockedFree();
          // Somebody has taken the tail from us and is about to say so.
          after = awaitOther(next, NONE);
        }
        Atomics.store(memory, flagOf(after), GRANTED);
      },
      get spins() {
        return spins;
      },
      parks: 0,
    };
  },
} satisfies LockCompetitor;

const TAIL = 0;
const NONE = 0;
const flagOf = (node: number) => node * STRIDE_WORDS;
const nextOf = (node: number) => node * STRIDE_WORDS + 1;
const GRANTED = 0;
const WAITING = 1;
