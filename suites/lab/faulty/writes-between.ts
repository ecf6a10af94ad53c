import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";
import { forkSeed } from "../../engine/measure/plan/plan.ts";

/** Of the first fork, by the seed that all requests of tests have. */
const FIRST_SEED = forkSeed(42, 0, 0);

/**
 * Faulty: in the first fork it writes a word of its memory when it is looked at. That happens between two slices, where
 * other crews have theirs in their turns.
 */
export default {
  ...honest,
  summary: "faulty: writes between",
  words: () => 1,
  inspect(memory, setup) {
    if (setup.seed === FIRST_SEED) Atomics.add(memory, 0, 1);
    return honest.inspect();
  },
} satisfies PickCompetitor;
