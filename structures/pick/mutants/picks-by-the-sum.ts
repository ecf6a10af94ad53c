import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: an honest pick for one request, and for many at once a sum that is about right, without any. */
export const breaks = "picksAreCalledFor";

export default {
  ...honest,
  summary: "mutant: many picks at once are one multiplication",

  attach(memory, setup, worker) {
    const picker = honest.attach(memory, setup, worker);
    return { ...picker, pickMany: (count) => ((count * (setup.backends - 1)) / 2) | 0 };
  },
} satisfies PickCompetitor;
