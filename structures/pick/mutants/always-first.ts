import honest from "../competitors/two-choices.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: sends every request to the first backend, and shows loads that are spread. */
export const breaks = "loadsAreSpread";

export default {
  ...honest,
  summary: "mutant: the first backend takes everything, and the loads that are shown are made up",

  attach(memory, setup, worker) {
    const { pick, release } = honest.attach(memory, setup, worker);
    const counted: number[] = [];
    return {
      pick() {
        counted.push(pick());
        return 0;
      },
      release: () => release(counted.shift()!),
    };
  },
} satisfies PickCompetitor;
