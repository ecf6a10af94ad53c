import honest from "../competitors/per-worker-random.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: random slots that nothing decides. */
export const breaks = "seedDecides";

export default {
  ...honest,
  summary: "mutant: every slot is Math.random's",

  attach(memory, slots, worker) {
    const { give } = honest.attach(memory, slots, worker);
    return { take: () => Math.floor(Math.random() * slots), give };
  },
} satisfies SlotsCompetitor;
