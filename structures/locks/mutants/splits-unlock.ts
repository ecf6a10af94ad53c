import { allocateRegion } from "../../shared/layout.ts";
import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: looks for sleepers and frees the lock in two steps. A worker that announces itself in between is overwritten, and sleeps
 * on a free lock.
 *
 * The window is an instruction wide, so now and then a pause holds it open, as preemption would; the step model finds
 * the fault without the pause.
 */
export const breaks = "waitersAreWoken";

export default {
  ...honest,
  summary: "mutant: three-state futex that frees by load and store instead of one exchange",

  attach(memory): Lock {
    const never = allocateRegion(1);
    let unlocks = 0;
    return {
      ...honest.attach(memory),
      unlock() {
        const state = Atomics.load(memory, STATE);
        if (++unlocks % UNLOCKS_PER_PAUSE === 0) Atomics.wait(never, 0, 0, PAUSE_MS);
        Atomics.store(memory, STATE, FREE);
        if (state === TAKEN_WITH_SLEEPERS) Atomics.notify(memory, STATE, 1);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN_WITH_SLEEPERS = 2;
const UNLOCKS_PER_PAUSE = 50;
const PAUSE_MS = 1;
