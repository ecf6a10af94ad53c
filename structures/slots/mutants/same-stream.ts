import honest from "../competitors/per-worker-random.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: every worker seeds its generator alike, so that all of them choose the same slots. */
export const breaks = "noWorseThanChance";

export default {
  ...honest,
  summary: "mutant: one seed for every worker",
  attach: (memory, slots, worker) => honest.attach(memory, slots, { ...worker, seed: 1 }),
} satisfies SlotsCompetitor;
