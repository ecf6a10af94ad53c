import { mutated, pausing } from "../../shared/mutated.ts";
import type { LockCompetitor } from "../locks.contract.ts";

/**
 * Mutant: an unlock that finds nobody linked and somebody at the tail, and leaves, where it should wait for the link.
 * A worker that had announced itself and not yet linked waits for ever, and all later ones wait behind it.
 *
 * The window is two instructions wide, so a pause holds it open, as preemption would. The step model finds the fault
 * without.
 */
export const breaks = "everyWorkerFinishes";

export default {
  ...(await mutated<LockCompetitor>(
    import.meta.resolve("../competitors/mcs-spin-then-park.ts"),
    ["after = awaitNext();", "return;"],
    [
      "Atomics.store(memory, nextOf(before), node);",
      `${pausing(1)} Atomics.store(memory, nextOf(before), node);`,
    ],
  )),
  summary: "mutant: MCS lock whose unlock does not wait for a successor to link itself",
} satisfies LockCompetitor;
