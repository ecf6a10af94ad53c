import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: a tryLock by exchange. It answers truly, but writes 1 over the 2 that asks the holder to wake somebody. */
export const breaks = "waitersAreWoken";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/futex-three-state.ts"), [
    "tryLock: () => Atomics.compareExchange(memory, STATE, FREE, TAKEN)",
    "tryLock: () => Atomics.exchange(memory, STATE, TAKEN)",
  ])),
  summary: "mutant: three-state futex whose tryLock erases state 2",
} satisfies LockCompetitor;
