import honest from "../append-only.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Liar: the source's first list as it was used once slots were assigned, in any order of dues. */
export const breaks = "onTime";

export default {
  ...honest,
  summary: "liar: append-only, said to take any order",
  order: "any",
} satisfies DispatchCompetitor;
