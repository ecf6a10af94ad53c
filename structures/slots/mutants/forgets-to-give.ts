import honest from "../competitors/per-worker-least-loaded.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: takes the least loaded slot and never hears of clients that leave. */
export const breaks = "evenUnderChurn";

export default {
  ...honest,
  summary: "mutant: least loaded whose give does nothing",
  attach: (memory, slots, worker) => ({ ...honest.attach(memory, slots, worker), give() {} }),
} satisfies SlotsCompetitor;
