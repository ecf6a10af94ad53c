import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: waits with a time limit and goes in when it has passed, with another worker inside. Its unlock does not look whether
 * the lock is free, which would end the second of two holders before anything is counted.
 */
export const breaks = "acquisitionsAreConserved";

export default {
  ...(await mutated<LockCompetitor>(
    import.meta.resolve("../competitors/futex-three-state.ts"),
    [
      'if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS) !== "not-equal") parks++;',
      'if (Atomics.wait(memory, STATE, TAKEN_WITH_SLEEPERS, 0.1) === "timed-out") return;',
    ],
    ["if (was === FREE) throw unlockedFree();", ""],
  )),
  summary: "mutant: three-state futex that ignores how its wait ended",
} satisfies LockCompetitor;
