import honest from "../competitors/per-worker-sequential.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts its slots from 1. */
export const breaks = "slotsAreInRange";

export default {
  ...honest,
  summary: "mutant: slots from 1 instead of 0",

  attach(memory, slots, worker) {
    const { take, give } = honest.attach(memory, slots, worker);
    return { take: () => take() + 1, give };
  },
} satisfies SlotsCompetitor;
