import { guarded, type PlantedLock } from "./guarded.ts";

const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;

/**
 * The mutex of Drepper's "Futexes Are Tricky", whose third state says that somebody may sleep. A worker that has slept
 * takes it in that state. The faulty one takes it as if nobody slept, and its unlock then wakes nobody. Where two
 * workers are all, there is no other sleeper. With more, one sleeps until a third finds the lock taken, or for ever.
 */
function mutex(takenAfterSleep: number): PlantedLock {
  return {
    words: () => 1,
    attach: (memory) => ({
      lock() {
        if (Atomics.compareExchange(memory, 0, FREE, TAKEN) === FREE) return;
        while (Atomics.compareExchange(memory, 0, FREE, takenAfterSleep) !== FREE) {
          if (Atomics.exchange(memory, 0, TAKEN_WITH_SLEEPERS) === FREE) return;
          Atomics.wait(memory, 0, TAKEN_WITH_SLEEPERS);
        }
      },
      unlock() {
        if (Atomics.exchange(memory, 0, FREE) === TAKEN_WITH_SLEEPERS) Atomics.notify(memory, 0, 1);
      },
    }),
  };
}

export default guarded("lost-wake-up", "a mutex that forgets who else sleeps", {
  honest: mutex(TAKEN_WITH_SLEEPERS),
  faulty: mutex(TAKEN),
});
