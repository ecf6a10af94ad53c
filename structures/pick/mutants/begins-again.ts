import honest from "../competitors/per-worker-round-robin-offset.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: a worker that takes over a seat begins where all before it began. */
export const breaks = "restartsGoOn";

export default {
  ...honest,
  summary: "mutant: a worker that restarts begins again",
  attach: (memory, setup, worker) => honest.attach(memory, setup, { ...worker, generation: 0 }),
} satisfies PickCompetitor;
