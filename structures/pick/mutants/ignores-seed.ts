import honest from "../competitors/cas-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: draws, but the same in every instance, so that processes on one machine pick the same backends in step. */
export const breaks = "seedsDiffer";

export default {
  ...honest,
  summary: "mutant: one seed for every instance",
  format: (memory, setup) => honest.format(memory, { ...setup, seed: 1 }),
  inspect: (memory, setup) => honest.inspect(memory, { ...setup, seed: 1 }),
} satisfies PickCompetitor;
