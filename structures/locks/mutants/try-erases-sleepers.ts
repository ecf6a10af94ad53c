import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock by exchange. It answers truly, but writes 1 over the 2 that told the holder to wake somebody. */
export const breaks = "waitersAreWoken";

export default {
  ...honest,
  summary: "mutant: three-state futex whose tryLock erases state 2",
  attach: (memory): Lock => ({
    ...honest.attach(memory),
    tryLock: () => Atomics.exchange(memory, STATE, TAKEN) === FREE,
  }),
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
