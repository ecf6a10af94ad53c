import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: Drepper's own unlock, a decrement, without the store of 0 that must follow where there were sleepers. The
 * woken worker and all others find the lock taken, by nobody.
 */
export const breaks = "everyWorkerFinishes";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/futex-three-state.ts"), [
    "Atomics.exchange(memory, STATE, FREE)",
    "Atomics.sub(memory, STATE, 1)",
  ])),
  summary: "mutant: three-state futex whose unlock leaves state 1 after state 2",
} satisfies LockCompetitor;
