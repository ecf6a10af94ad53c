import rotated from "../../../structures/pick/competitors/per-worker-round-robin-rotated.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/**
 * A picker whose time is known to be spent seven parts in one function and three in another, for the profiler to find.
 * Both do the same; that it is much beside a pick keeps the pick itself out of the figures.
 */
const PART = 400;

function seventy(word: number): number {
  let mixed = word;
  for (let time = 0; time < 7 * PART; time++) mixed = (Math.imul(mixed, 1_664_525) + 1_013_904_223) | 0;
  return mixed;
}

function thirty(word: number): number {
  let mixed = word;
  for (let time = 0; time < 3 * PART; time++) mixed = (Math.imul(mixed, 1_664_525) + 1_013_904_223) | 0;
  return mixed;
}

export default {
  ...rotated,
  summary: "a split that is known",
  attach(memory, setup, worker) {
    const { pick } = rotated.attach(memory, setup, worker);
    let word = worker.index;
    return {
      pick() {
        word = thirty(seventy(word));
        return pick();
      },
    };
  },
} satisfies PickCompetitor;
