import type { LockCompetitor, SleepingLock } from "../locks.contract.ts";
import { assertNotAwaited } from "../parts/awaited.ts";
import { unlockedFree } from "../parts/misuse.ts";

/**
 * A mutex that sleeps. One word says free, taken, or taken with sleepers, so that neither taking nor releasing an
 * uncontended lock enters the kernel.
 *
 * Promise: mutual exclusion; a sleeper is woken by some later unlock.
 * Progress: blocking. Not fair: a running worker may take the lock ahead of one being woken.
 * Threads: any worker that attached; only the holder unlocks. Can be waited for up to a limit, and without blocking.
 * Cost: uncontended one compareExchange to lock and one exchange to unlock; contended one Atomics.wait per sleep and
 *   one Atomics.notify per unlock that found state 2.
 * Memory: 1 word. Pad it yourself where neighbours are hot.
 * Limits: a holder that dies leaves it taken for ever. A waiter that is terminated as it is woken leaves the others
 *   asleep on a free lock until its seat is freed (freeSeat). To unlock a free lock throws; to unlock what another
 *   worker holds is not detected, and lets a second one in. To lock what this worker holds is not detected, and waits for ever.
 *   Atomics.wait and notify meet in one process-wide list under one mutex in V8, so unrelated sleeping locks slow each
 *   other.
 * Bet: cheap enough that only lock-free rivals beat it until the lock is contended.
 * Source: Ulrich Drepper, "Futexes Are Tricky" (2011), "Mutex, Take 3", and an exchange to unlock.
 *
 *     word 0  state: 0 free, 1 taken, 2 taken and someone may sleep   written and read by every worker, atomically
 */
export default {
  summary: "three-state futex mutex: sleeps at once when taken, no kernel call when free",
  source: 'Drepper, "Futexes Are Tricky" (2011), mutex3',
  progress: "blocking",
  deadHolder: "keeps",
  sleepWord: 0,

  words: () => 1,

  format(memory) {
    Atomics.store(memory, STATE, FREE);
  },

  attach(memory): SleepingLock {
    const word = memory.subarray(STATE, STATE + 1);
    let spins = 0;
    let parks = 0;
    return {
      lock() {
        if (Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE) return;
        spins++;
        assertNotAwaited("lock", word);
        // Announce a sleeper before sleeping: the holder reads the announcement when it unlocks. Where the exchange
        // finds the lock free we have taken it in the state "with sleepers", which costs at most one needless notify.
        // Plain TAKEN would strand the sleepers we cannot see. Drepper goes to sleep at once where the first look
        // already found sleepers; looking again is cheaper than a wait that is refused.
        while (Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) !== FREE) {
          spins++;
          if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS) !== "not-equal") parks++;
        }
      },
      tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE,
      unlock() {
        // One exchange both frees the lock and shows whether to wake. The store comes before the notify: a woken worker
        // finds the lock free or taken by another running worker, never by us.
        const was = Atomics.exchange(memory, STATE, FREE);
        if (was === TAKEN) return;
        if (was === FREE) throw unlockedFree();
        Atomics.notify(memory, STATE, 1);
      },
      word,
      lockOrAnnounce: () =>
        Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) === FREE ? undefined : TAKEN_WITH_SLEEPERS,
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
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;
