import honest from "../competitors/per-worker-sequential.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: a worker that takes over a seat begins where all before it began. */
export const breaks = "restartsGoOn";

export default {
  ...honest,
  summary: "mutant: a worker that restarts begins again",
  attach: (memory, slots, worker) => honest.attach(memory, slots, { ...worker, generation: 0 }),
} satisfies SlotsCompetitor;
