import honest from "../competitors/append-only.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: the source's first list as it was used once slots were assigned, in any order of deadlines. */
export const breaks = "onTime";

export default {
  ...honest,
  summary: "mutant: append-only, said to take any order",
  order: "any",
} satisfies DispatchCompetitor;
