import honest from "../competitors/sweep.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Waits for five seconds more than it was told to. */
export const breaks = "closedInTime";

export default {
  ...honest,
  summary: "mutant: five seconds late",
  watch: (setup) => honest.watch({ ...setup, timeoutMs: setup.timeoutMs + 5_000 }),
} satisfies ConnectionsCompetitor;
