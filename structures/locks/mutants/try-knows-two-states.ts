import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: a tryLock left over from a lock of two states, for which "not 1" is "free". It walks in on state 2. Its unlock
 * does not look whether the lock is free, which would end the second of two holders before anything is counted.
 */
export const breaks = "tryLockIsTrue";

export default {
  ...(await mutated<LockCompetitor>(
    import.meta.resolve("../competitors/futex-three-state.ts"),
    [
      "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE",
      "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) !== TAKEN",
    ],
    ["if (was === FREE) throw unlockedFree();", ""],
  )),
  summary: "mutant: three-state futex whose tryLock takes state 2 for free",
} satisfies LockCompetitor;
