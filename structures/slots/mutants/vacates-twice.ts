import honest, { VACANT } from "../competitors/ticket-shared-holes.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts a hole vacant twice, so that sooner or later a take searches for one that is not there. */
export const breaks = "everyWorkerFinishes";

export default {
  ...honest,
  summary: "mutant: shared holes that two takes may claim each",

  attach(memory, slots, worker) {
    const allocator = honest.attach(memory, slots, worker);
    return {
      ...allocator,
      give(slot) {
        allocator.give(slot);
        Atomics.add(memory, VACANT, 1);
      },
    };
  },
} satisfies SlotsCompetitor;
