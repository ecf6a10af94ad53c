import { mutated } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/** Mutant: an unlock that forgets what state 2 is for. A worker that went to sleep stays asleep. */
export const breaks = "waitersAreWoken";

export default {
  ...(await mutated<LockCompetitor>(import.meta.resolve("../competitors/futex-three-state.ts"), [
    "Atomics.notify(memory, STATE, 1)",
    "return",
  ])),
  summary: "mutant: three-state futex that never wakes a sleeper",
} satisfies LockCompetitor;
