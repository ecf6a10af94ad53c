import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: Drepper's own unlock, a decrement, without the store of 0 that must follow where there were sleepers. The
 * woken worker and all others find the lock taken, by nobody.
 */
export const breaks = "everyWorkerFinishes";

export default {
  ...honest,
  summary: "mutant: three-state futex whose unlock leaves state 1 after state 2",

  attach(memory): Lock {
    return {
      ...honest.attach(memory),
      unlock() {
        if (Atomics.sub(memory, STATE, 1) !== TAKEN) Atomics.notify(memory, STATE, 1);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const TAKEN = 1;
