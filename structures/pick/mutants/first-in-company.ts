import honest from "../competitors/two-choices.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: picks by load while it is alone, and the first backend for everybody where others pick beside it. */
export const breaks = "noBackendIsLeftOut";

export default {
  ...honest,
  summary: "mutant: the first backend takes everything that a crew of two asks for",

  attach(memory, setup, worker) {
    const { pick, release } = honest.attach(memory, setup, worker);
    if (setup.workers !== 2) return { pick, release };
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
