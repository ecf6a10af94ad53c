import type { UpstreamsCompetitor } from "../upstreams.contract.ts";
import { Balanced, type BalancedOptions } from "./balanced.ts";
import { noPools } from "./pools.ts";

/** What the competitors that are a `Balanced` have in common, but for how it chooses. */
export function overBalanced(
  by: NonNullable<BalancedOptions["by"]>,
  slowStart?: BalancedOptions["slowStart"],
) {
  return {
    progress: "wait-free",
    drains: "waits",
    ejects: true,
    byStatus: true,
    unavailable: noPools,
    create(origins, options) {
      const dispatcher = new Balanced(origins, { ...options, by, slowStart });
      return {
        dispatcher,
        add: (origin) => dispatcher.add(origin),
        drain: (origin) => dispatcher.drain(origin),
        close: () => dispatcher.close(),
      };
    },
  } satisfies Partial<UpstreamsCompetitor>;
}
