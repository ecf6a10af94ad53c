import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock that says whether the lock is free and does not take it. */
export const breaks = "tryLockIsTrue";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/test-and-set.ts"), [
    "tryLock: () => Atomics.exchange(memory, STATE, TAKEN) === FREE",
    "tryLock: () => Atomics.load(memory, STATE) === FREE",
  ])),
  summary: "mutant: test-and-set lock whose tryLock only looks",
} satisfies LockCompetitor;
