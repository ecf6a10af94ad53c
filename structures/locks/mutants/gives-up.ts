import honest from "../competitors/futex-three-state.ts";
import type { Lock, LockCompetitor } from "../locks.contract.ts";

/** Mutant: waits with a time limit and goes in when it has passed, whoever is inside. */
export const breaks = "acquisitionsAreConserved";

export default {
  ...honest,
  summary: "mutant: three-state futex that ignores how its wait ended",

  attach(memory): Lock {
    return {
      ...honest.attach(memory),
      lock() {
        if (Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE) return;
        while (Atomics.exchange(memory, STATE, TAKEN_WITH_SLEEPERS) !== FREE) {
          if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS, LIMIT_MS) === "timed-out") return;
        }
      },
    };
  },
} satisfies LockCompetitor;

const STATE = 0;
const FREE = 0;
const TAKEN = 1;
const TAKEN_WITH_SLEEPERS = 2;
const LIMIT_MS = 0.1;
