import { STRIDE_WORDS } from "../../shared/layout.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";
import { lockedTwice, unlockedFree } from "../parts/misuse.ts";

/**
 * A lock with a linked queue. A worker puts its node at the tail and links it to the node before. It waits on a flag in
 * its own node, which its predecessor clears.
 *
 * Promise: mutual exclusion; first come, first served, where to come is to exchange the tail.
 * Progress: blocking. Fair: no worker that comes later goes in earlier.
 * Threads: any worker that attached, one handle for each worker; only the holder unlocks.
 * Cost: uncontended, one exchange to lock, one load and one compareExchange to unlock. Contended, one store to join and
 *   one exchange to hand over, each to a line that one other worker waits on. A waiter that has polled
 *   POLLS_BEFORE_PARK times in vain announces that and sleeps until its turn. That costs one compareExchange, one
 *   Atomics.wait and one Atomics.notify.
 * Memory: one stride for the tail and one for each worker's node.
 * Limits: the lock goes to the next in line even when that worker is asleep or off its core, and no other can have it
 *   meanwhile. A holder that dies leaves it taken for ever, a waiter that dies does so when its turn comes. To unlock a
 *   free lock throws where the handle's last hold had no successor. Elsewhere, unlocking a lock that is not held is not
 *   detected, and hangs or lets a second worker in. To lock what this worker holds throws while no other waits for it;
 *   else all wait for ever. No lockWithin and no lockAsync: a place in the queue cannot be given up.
 * Bet: what waiters save each other by not polling one line shows only with more cores than a small machine has.
 * Source: Mellor-Crummey & Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors" (1991).
 *
 *     word 0                   tail     node of the last in line, 0 when free   every worker, atomically
 *     word 32 * node           flag     0 granted, 1 waiting, 2 asleep          its worker and the one before,
 *                                                                               atomically; its worker also plainly
 *     word 32 * node + 1       next     node of the next in line, 0 for none    its worker and the one after,
 *                                                                               atomically; its worker also plainly
 *
 * Nodes are numbered from 1: worker s has node s + 1.
 */
export default {
  summary: "MCS queue lock: each waiter polls, then sleeps, on a line of its own",
  formerly: "mcs",
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
    let parks = 0;

    const awaitTurn = (): void => {
      // A stale value of these plain loads is harmless. They only show when to look by an atomic access, which also
      // orders the holder's work after that of the last holder. Bounded, as a compiler may take them out of the loop.
      let polls = 0;
      while (polls < POLLS_BEFORE_PARK && memory[flag] !== GRANTED) polls++;
      spins += polls;
      // A worker that saw its turn come has nothing to announce; the atomic load orders what follows.
      if (polls < POLLS_BEFORE_PARK && Atomics.load(memory, flag) === GRANTED) return;
      // The announcement and the grant are both read-modify-writes of one word, so that one of the two workers sees
      // the other's. Only one of them is ever asleep here. But one notify may come late, for a turn that began without
      // it, and wake the next sleep of the same worker: hence the loop.
      if (Atomics.compareExchange(memory, flag, WAITING, ASLEEP) === GRANTED) return;
      do {
        if (Atomics.wait(memory, flag, ASLEEP) !== "not-equal") parks++;
      } while (Atomics.load(memory, flag) !== GRANTED);
    };

    /** The node of the next in line, which has taken the tail from us and is about to say so, or has. */
    const awaitNext = (): number => {
      // Bounded plain loads, as above. It has two instructions to go; where it was taken off its core between them,
      // this worker leaves its own for it.
      for (let after = Atomics.load(memory, next); ; after = Atomics.load(memory, next)) {
        if (after !== NONE) return after;
        let polls = 0;
        while (polls < POLLS_BEFORE_PARK && memory[next] === NONE) polls++;
        spins += polls;
        if (polls === POLLS_BEFORE_PARK && Atomics.wait(memory, next, NONE, YIELD_MS) !== "not-equal")
          parks++;
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
        awaitTurn();
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
          after = awaitNext();
        }
        if (Atomics.exchange(memory, flagOf(after), GRANTED) === ASLEEP)
          Atomics.notify(memory, flagOf(after), 1);
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

const TAIL = 0;
const NONE = 0;
const flagOf = (node: number) => node * STRIDE_WORDS;
const nextOf = (node: number) => node * STRIDE_WORDS + 1;
const GRANTED = 0;
const WAITING = 1;
const ASLEEP = 2;
/** Polls: several times the longest section raced, about the time of a sleep and a wake-up. */
const POLLS_BEFORE_PARK = 20_000;
/** The slack that Linux adds to any sleep (prctl(2), PR_SET_TIMERSLACK): to ask for less does not return sooner. */
const YIELD_MS = 0.05;
