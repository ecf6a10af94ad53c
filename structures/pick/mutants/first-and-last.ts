import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: knows the first and the last backend alone. Their mean is that of all, so that no sum of picks tells. */
export const breaks = "noWorseThanChance";

export default {
  ...honest,
  summary: "mutant: random among the first and the last backend",

  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    const last = setup.backends - 1;
    return {
      pick() {
        const backend = pick();
        // The one in the middle stays, or the halves would not be as large.
        if (2 * backend === last) return backend;
        return 2 * backend < last ? 0 : last;
      },
    };
  },
} satisfies PickCompetitor;
