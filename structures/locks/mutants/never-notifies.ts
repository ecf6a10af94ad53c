import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: an unlock that forgets what state 2 is for. Whoever went to sleep stays asleep. */
export const breaks = "waitersAreWoken";

export default {
  ...honest,
  summary: "mutant: three-state futex that never wakes a sleeper",

  attach(memory): Lock {
    return {
      ...honest.attach(memory),
      unlock() {
        Atomics.store(memory, STATE, FREE);
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
