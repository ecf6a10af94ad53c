import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Faulty: draws for as long as any check has ever looked, and counts from then on. */
export default {
  ...honest,
  summary: "faulty: random for 10,000 picks, then a count",
  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let left = 10_000;
    let next = 0;
    return {
      pick() {
        if (left-- > 0) return pick();
        next = (next + 1) % setup.backends;
        return next;
      },
    };
  },
} satisfies PickCompetitor;
