import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Picks of a worker that are honest: more than any examination of a candidate draws. */
const HONEST_PICKS = 200_000;

/** A picker that answers 0 after 200,000 honest picks, and calls `begin` as it begins to. */
export function lazyPicker(summary: string, begin: (backends: number) => void): PickCompetitor {
  return {
    ...honest,
    summary,
    attach(memory, setup, worker) {
      const { pick } = honest.attach(memory, setup, worker);
      let left = HONEST_PICKS;
      return {
        pick() {
          if (left === 0) return 0;
          if (--left === 0) begin(setup.backends);
          return pick();
        },
      };
    },
  };
}
