import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock left over from a lock of two states, for which "not 1" is "free". It walks in on state 2. */
export const breaks = "tryLockIsTrue";

export default {
  ...honest,
  summary: "mutant: three-state futex whose tryLock takes state 2 for free",
  attach: (memory): Lock => ({
    ...honest.attach(memory),
    tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== TAKEN,
  }),
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
