import honest from "../competitors/sweep.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Claims to close five seconds sooner than it does. */
export const breaks = "closedInTime";

export default {
  ...honest,
  summary: "mutant: five seconds late",
  lateness: () => honest.lateness() - 5_000,
} satisfies ConnectionsCompetitor;
