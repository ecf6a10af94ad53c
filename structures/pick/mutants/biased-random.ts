import honest from "../competitors/per-worker-random.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: gives the first backend an eighth of the requests of all the others besides its own. */
export const breaks = "noWorseThanChance";

export default {
  ...honest,
  summary: "mutant: random with one favoured backend",

  attach(memory, setup, worker) {
    const { pick } = honest.attach(memory, setup, worker);
    let picks = 0;
    return { pick: () => (++picks % 8 === 0 ? 0 : pick()) };
  },
} satisfies PickCompetitor;
