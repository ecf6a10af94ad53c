import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: every worker seeds its generator alike, so that all of them pick the same backends at the same time. */
export const breaks = "streamsDiffer";

export default {
  ...honest,
  summary: "mutant: one seed for every worker",
  attach: (memory, setup, worker) => honest.attach(memory, setup, { ...worker, seed: 1 }),
} satisfies PickCompetitor;
