import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: counts, and says that it draws. Each backend gets as many as any other, and the mean is as even as can be. */
export const breaks = "drawsAreIndependent";

export default {
  ...honest,
  summary: "mutant: random that is a count from a random start",

  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let next = pick();
    return {
      pick() {
        next = next + 1 === setup.backends ? 0 : next + 1;
        return next;
      },
    };
  },
} satisfies PickCompetitor;
