import { allocateRegion } from "../../shared/layout.ts";
import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: wakes a sleeper first and frees the lock afterwards. The woken worker finds it taken and sleeps again, and the
 * store that follows wakes nobody.
 *
 * The two are a few instructions apart, and a worker needs longer to wake up, so they go wrong when the one that
 * unlocks is taken off its core in between. The pause is that preemption, without waiting for it; the step model finds
 * the fault without the pause.
 */
export const breaks = "waitersAreWoken";

export default {
  ...honest,
  summary: "mutant: three-state futex that notifies before it frees the lock",

  attach(memory): Lock {
    const never = allocateRegion(1);
    return {
      ...honest.attach(memory),
      unlock() {
        if (Atomics.load(memory, STATE) === TAKEN_WITH_SLEEPERS) {
          Atomics.notify(memory, STATE, 1);
          Atomics.wait(never, 0, 0, PAUSE_MS);
        }
        Atomics.store(memory, STATE, FREE);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN_WITH_SLEEPERS = 2;
const PAUSE_MS = 1;
