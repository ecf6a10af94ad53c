import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: takes being woken, or not having slept at all, for having the lock. Another may have taken it meanwhile. */
export const breaks = "mutualExclusion";

export default {
  ...honest,
  summary: "mutant: two-state futex that does not look again after waking",

  attach(memory): Lock {
    return {
      ...honest.attach(memory),
      lock() {
        if (Atomics.exchange(memory, STATE, TAKEN) !== FREE) Atomics.wait(memory, STATE, TAKEN);
      },
      unlock() {
        Atomics.store(memory, STATE, FREE);
        Atomics.notify(memory, STATE, 1);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
