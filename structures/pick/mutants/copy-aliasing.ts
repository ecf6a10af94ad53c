import { STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import { plainRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: the source's own `Copy()`, which returns the original, so that every balancer shuffles the array its caller
 * passed and keeps that for its own rotation. With a single balancer nothing is wrong.
 */
export const breaks = "instancesAreIndependent";

/** The arrays of backends that a caller would pass, one for each number of them, like the source's list of servers. */
const passed = new Map<number, Int32Array>();

export default {
  ...honest,
  summary: "mutant: two balancers keep and shuffle one array",

  format(memory, setup) {
    honest.format(memory, setup);
    const backends = passed.get(setup.backends) ?? plainRotation(setup.backends);
    passed.set(setup.backends, new Random(setup.seed).shuffle(backends));
    // What other threads see of it: they cannot share an array.
    memory.set(backends, ROTATION);
  },

  inspect: (memory, setup) => ({
    ...honest.inspect(memory, setup),
    rotation: [...passed.get(setup.backends)!],
  }),
} satisfies PickCompetitor;

const ROTATION = STRIDE_WORDS;
