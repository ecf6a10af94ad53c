import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Mutant: the source's sentence taken at its word: a separate thread scrambles the very array that the workers pick
 * from. A backend that is moved from behind the position to before it is picked twice in that rotation and another not
 * at all, and the picker still claims the gap of an order that does not change.
 */
export const breaks = "gapIsBounded";

export default {
  ...honest,
  summary: "mutant: the rotation reshuffled in place while workers pick",
  order: "reshuffled",
  background: { url: import.meta.url, attach: attachBackground },

  format(memory, setup) {
    honest.format(memory, setup);
    Atomics.store(memory, RESHUFFLES, 0);
  },

  attach(memory, { backends }) {
    return { pick: () => memory[ROTATION + ((Atomics.add(memory, NEXT, 1) & 0x7fffffff) % backends)]! };
  },

  inspect: (memory, setup) => ({
    ...honest.inspect(memory, setup),
    reshuffles: Atomics.load(memory, RESHUFFLES),
  }),
} satisfies PickCompetitor;

/** Nobody has to ask: it always has something to do, but for a moment's sleep that leaves the core to the workers. */
function attachBackground(memory: Region, { backends, seed }: PickSetup) {
  const random = new Random(seed, 1);
  const rotation = memory.subarray(ROTATION, ROTATION + backends);
  return {
    sleep() {
      Atomics.wait(memory, RESHUFFLES, Atomics.load(memory, RESHUFFLES), 1);
    },
    step() {
      random.shuffle(rotation);
      Atomics.add(memory, RESHUFFLES, 1);
      return true;
    },
  };
}

const NEXT = 0;
const RESHUFFLES = 1;
const ROTATION = STRIDE_WORDS;
