import { mutated, pausing } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: wakes a sleeper first and frees the lock afterwards. The woken worker finds it taken and sleeps again, and the
 * store that follows wakes nobody.
 *
 * The two are a few instructions apart, and a worker needs longer to wake up, so they go wrong when the one that
 * unlocks is taken off its core in between. The pause is that preemption, without waiting for it; the step model finds
 * the fault without the pause.
 */
export const breaks = "waitersAreWoken";

export default {
  ...(await mutated<LockCompetitor>(
    import.meta.resolve("../competitors/futex-three-state.ts"),
    ["Atomics.exchange(memory, STATE, FREE)", "Atomics.load(memory, STATE)"],
    ["if (was === TAKEN) return;", "if (was === TAKEN) return Atomics.store(memory, STATE, FREE);"],
    [
      "Atomics.notify(memory, STATE, 1);",
      `Atomics.notify(memory, STATE, 1); ${pausing(1)} Atomics.store(memory, STATE, FREE);`,
    ],
  )),
  summary: "mutant: three-state futex that notifies before it frees the lock",
} satisfies LockCompetitor;
