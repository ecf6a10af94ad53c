import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import honest from "../competitors/per-worker-round-robin-reshuffled.ts";
import { plainRotation } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: the shuffle everybody writes first, which swaps with any place and so brings back what was picked already. */
export const breaks = "cyclesArePermutations";

export default {
  ...honest,
  summary: "mutant: reshuffles by swapping with any place in the cycle",

  attach(_memory, { backends, seed }, worker) {
    const random = new Int32Array(SFC32_WORDS);
    seedSfc32(random, 0, seed, worker.seed);
    const rotation = plainRotation(backends);
    let position = 0;
    return {
      pick() {
        const other = bounded(nextSfc32(random, 0), backends);
        const backend = rotation[other]!;
        rotation[other] = rotation[position]!;
        rotation[position] = backend;
        position = position + 1 === backends ? 0 : position + 1;
        return backend;
      },
    };
  },
} satisfies PickCompetitor;
