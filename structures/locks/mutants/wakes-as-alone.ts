import honest from "../competitors/spin-100-then-park.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: a woken worker polls until the lock is free and takes it as plain "taken". The others that slept beside it are
 * forgotten: its release finds nobody to wake.
 */
export const breaks = "waitersAreWoken";

export default {
  ...honest,
  summary: "mutant: spin-then-park that forgets the other sleepers when it wakes",

  attach(memory): Lock {
    return {
      ...honest.attach(memory),
      lock() {
        for (let polls = 0; polls < POLLS && Atomics.load(memory, STATE) === TAKEN; polls++);
        if (Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE) return;
        if (Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) === FREE) return;
        Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS);
        while (Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== FREE);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;
const POLLS = 100;
