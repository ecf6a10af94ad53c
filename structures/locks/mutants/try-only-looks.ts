import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock that says whether the lock is free and does not take it. */
export const breaks = "tryLockIsTrue";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/futex-three-state.ts"), [
    "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN) === FREE",
    "tryLock: () => Atomics.load(memory, STATE) === FREE",
  ])),
  summary: "mutant: three-state futex whose tryLock only looks",
} satisfies LockCompetitor;
