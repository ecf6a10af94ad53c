import honest from "../competitors/sweep.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";

/** Takes 30 s for a timeout that it cannot serve. */
export const breaks = "refusesAtWatch";

export default {
  ...honest,
  summary: "mutant: a timeout that is none is half a minute",
  watch: (setup) =>
    honest.watch({
      ...setup,
      timeoutMs: setup.timeoutMs >= 1_000 && setup.timeoutMs < 2 ** 31 ? setup.timeoutMs : 30_000,
    }),
} satisfies ConnectionsCompetitor;
