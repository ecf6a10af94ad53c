import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: the source's own counter, which turns negative after 2^31 picks and then indexes before the array. */
export const breaks = "picksAreInRange";

export default {
  ...honest,
  summary: "mutant: signed counter, raw remainder",

  format(memory, setup) {
    honest.format(memory, setup);
    Atomics.store(memory, NEXT, setup.firstTicket | 0);
  },

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    return { pick: () => rotation[Atomics.add(memory, NEXT, 1) % backends]! };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
