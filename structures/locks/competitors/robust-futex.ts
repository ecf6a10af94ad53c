import { holderOf, NOBODY, numberOf, OWNER_DIED, SLEEPERS, UNUSABLE } from "../../shared/holder-bits.ts";
import { freeHeldBy, type HolderWords } from "../../shared/holder-words.ts";
import type { Region } from "../../shared/layout.ts";
import type { LockCompetitor, RobustLock } from "../locks.contract.ts";
import { assertNotAwaited } from "../parts/awaited.ts";
import { lockedTwice, notRecoverable, unlockedAnothers, unlockedFree } from "../parts/misuse.ts";

/** The only word. */
const HOLDER_WORDS: HolderWords = { first: 0, count: 1, strideWords: 1 };

/**
 * A mutex that outlives its holder. The word names the worker that holds it, so a worker that learns of the holder's
 * death can free the lock in its place.
 *
 * Promise: mutual exclusion; a sleeper is woken by some later unlock. Once it was reported that the holder has exited, the
 *   next to take the lock does, and alone learns that the data may be inconsistent. It declares the data mended, or
 *   leaves that to the next, or by its unlock makes the lock unusable for good.
 * Progress: blocking. Not fair: a running worker may take the lock ahead of one being woken.
 * Threads: any worker that attached, one handle for each worker; only the holder unlocks. Can be waited for up to a limit,
 *   and without blocking. The owner of the workers reports that one has exited, before another has its index.
 * Cost: uncontended, one compareExchange to lock and one to unlock. Contended, one load, a compareExchange or two and
 *   one Atomics.wait per sleep; one exchange and one Atomics.notify more per unlock that finds sleepers. To report an
 *   exit is one load and one Atomics.notify, and one compareExchange where the worker held the lock.
 * Memory: 1 word. Pad it yourself where neighbours are hot.
 * Limits: a holder whose exit is not reported leaves it taken for ever, and an exit that is reported too soon lets a
 *   second worker in. To unlock a free lock throws, as it does to unlock what another worker holds. To lock what this
 *   worker holds throws. Fewer than 2^24 workers. Atomics.wait and notify meet in one process-wide list under one mutex
 *   in V8.
 * Bet: to recover costs nothing until it is needed: a compareExchange in the place of the futex's exchange is all.
 * Source: pthread_mutexattr_setrobust(3) and pthread_mutex_consistent(3). Linux,
 *   Documentation/locking/robust-futexes.rst: at a thread's exit its kernel does what is reported here
 *   (handle_futex_death, kernel/futex/core.c). Sleeping after Drepper, "Futexes Are Tricky" (2011), mutex3.
 *
 *     word 0  state   written and read by every worker and by the reporter of exits, atomically: a holder word
 *                     (shared/holder-bits.ts)
 *
 * OWNER_DIED alone is a free lock after a death. It stays so for as long as no worker comes, for example while all living
 * workers are still starting.
 */
export default {
  summary: "futex mutex that names its holder, and is freed when the holder's death is reported",
  source: "pthread_mutexattr_setrobust(3); Linux robust futexes",
  progress: "blocking",
  deadHolder: "recovers",
  holderWords: HOLDER_WORDS,

  words: () => 1,

  format(memory) {
    Atomics.store(memory, STATE, FREE);
  },

  workerExited(memory, index) {
    freeHeldBy(memory, HOLDER_WORDS, index);
  },

  attach(memory, worker): RobustLock {
    const me = numberOf(worker.index);
    const word = memory.subarray(STATE, STATE + 1);
    let spins = 0;
    let parks = 0;

    const lockOrAnnounce = (): number | undefined => {
      let state = Atomics.load(memory, STATE);
      for (;;) {
        assertUsable(memory, state);
        const isFree = holderOf(state) === NOBODY;
        // Taken as a lock with sleepers, as this worker may be the one that was woken of several.
        const next = (isFree ? state | me : state) | SLEEPERS;
        const seen = next === state ? state : Atomics.compareExchange(memory, STATE, state, next);
        if (seen === state) return isFree ? undefined : next;
        state = seen;
      }
    };

    const lockContended = (found: number): void => {
      if (holderOf(found) === me) throw lockedTwice();
      assertNotAwaited("lock", word);
      spins++;
      for (let value = lockOrAnnounce(); value !== undefined; value = lockOrAnnounce()) {
        spins++;
        if (Atomics.wait(memory, STATE, value) !== "not-equal") parks++;
      }
    };

    const release = (state: number): void => {
      const was = Atomics.exchange(memory, STATE, state);
      if ((was & SLEEPERS) !== 0) Atomics.notify(memory, STATE, 1);
    };

    const unlockContended = (found: number): void => {
      if (holderOf(found) !== me) throw holderOf(found) === NOBODY ? unlockedFree() : unlockedAnothers();
      // Only its holder changes whether it is consistent.
      release((found & OWNER_DIED) === 0 ? FREE : UNUSABLE);
    };

    const isAfterDeath = (): boolean => {
      const state = Atomics.load(memory, STATE);
      return holderOf(state) === me && (state & OWNER_DIED) !== 0;
    };

    return {
      lock() {
        const found = Atomics.compareExchange(memory, STATE, FREE, me);
        if (found !== FREE) lockContended(found);
      },
      tryLock() {
        const found = Atomics.compareExchange(memory, STATE, FREE, me);
        if (found === FREE) return true;
        assertUsable(memory, found);
        // Free, and its last holder died.
        return (
          holderOf(found) === NOBODY && Atomics.compareExchange(memory, STATE, found, found | me) === found
        );
      },
      unlock() {
        const found = Atomics.compareExchange(memory, STATE, me, FREE);
        if (found !== me) unlockContended(found);
      },
      word,
      lockOrAnnounce,
      get ownerDied() {
        return isAfterDeath();
      },
      markConsistent() {
        if (!isAfterDeath())
          throw new Error("markConsistent: this worker does not hold a lock whose last holder died");
        Atomics.and(memory, STATE, ~OWNER_DIED);
      },
      unlockInconsistent() {
        if (!isAfterDeath())
          throw new Error("unlockInconsistent: this worker does not hold a lock whose last holder died");
        release(OWNER_DIED);
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

const STATE = 0;
const FREE = 0;

/** Throws for a lock that is unusable, and lets all that sleep on it see that. */
function assertUsable(memory: Region, state: number): void {
  if ((state & UNUSABLE) === 0) return;
  Atomics.notify(memory, STATE);
  throw notRecoverable();
}
