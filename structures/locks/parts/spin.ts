import type { LockCompetitor, SleepingLock } from "../locks.contract.ts";
import { assertNotAwaited } from "./awaited.ts";
import { unlockedFree } from "./misuse.ts";

/**
 * The mutex of Rust's standard library on a futex (library/std/src/sys/sync/mutex/futex.rs), for any number of polls.
 * It has Drepper's three states, and polls for a while before each sleep.
 *
 * Polls are plain loads. Rust puts the processor's pause between them. With Atomics.pause there, no time was told from that
 * without (results/reviews/0024).
 */
export function spinThenPark(polls: number) {
  return {
    progress: "blocking",
    deadHolder: "keeps",
    sleepWord: STATE,

    words: () => 1,

    format(memory) {
      Atomics.store(memory, STATE, FREE);
    },

    attach(memory): SleepingLock {
      const word = memory.subarray(STATE, STATE + 1);
      let spins = 0;
      let parks = 0;

      /**
       * Polls while the lock is taken and no worker sleeps. Where others already sleep, the holder wakes one of them
       * before us, and polling is in its way. Returns the state seen last.
       *
       * The loads are plain and may be stale, or even be taken out of the loop. What follows tolerates any answer. A
       * wrong "free" meets a compareExchange or an exchange, and a wrong "taken" an exchange. A wrong "with sleepers"
       * meets a wait that compares again and returns.
       */
      const spin = (): number => {
        let state = memory[STATE]!;
        for (let left = polls; left > 0 && state === TAKEN; left--) {
          spins++;
          state = memory[STATE]!;
        }
        return state;
      };

      const lockContended = (): void => {
        spins++;
        let state = spin();
        // A free lock may be taken without announcing sleepers. If there are any, one was woken when the lock was
        // freed; it is on its way and announces the others.
        if (state === FREE) {
          state = Atomics.compareExchange(memory, STATE, FREE, TAKEN);
          if (state === FREE) return;
        }
        assertNotAwaited("lock", word);
        for (;;) {
          // After a sleep this worker may be that one. So it takes the lock only as one with sleepers, which costs at
          // most one needless notify.
          if (state !== TAKEN_WITH_SLEEPERS) {
            if (Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) === FREE) return;
            spins++;
          }
          if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS) !== "not-equal") parks++;
          state = spin();
        }
      };

      return {
        lock() {
          if (Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== FREE) lockContended();
        },
        tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE,
        unlock() {
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
  } satisfies Omit<LockCompetitor, "summary" | "source">;
}

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;
