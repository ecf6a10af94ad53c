import honest from "../competitors/per-worker-random.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: every worker seeds its generator alike, so that all of them choose the same slots. */
export const breaks = "noWorseThanChance";

export default {
  ...honest,
  summary: "mutant: one seed for every worker",
  attach: (memory, slots, seat) => honest.attach(memory, slots, { ...seat, seed: 1 }),
} satisfies SlotsCompetitor;
