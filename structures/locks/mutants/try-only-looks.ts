import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock that says whether the lock is free and does not take it. */
export const breaks = "tryLockIsTrue";

export default {
  ...honest,
  summary: "mutant: three-state futex whose tryLock only looks",
  attach: (memory): Lock => ({
    ...honest.attach(memory),
    tryLock: () => Atomics.load(memory, STATE) === FREE,
  }),
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
