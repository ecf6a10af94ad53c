import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/rotating-round-robin.ts";
import { foldAt, foldBack } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: starts every cycle one backend further on. That breaks up the patterns of one rotation, but after as many
 * cycles as there are backends the order is the same again.
 */
export const breaks = "patternsAreBroken";

export default {
  ...honest,
  summary: "mutant: an order rotated by one every cycle, said to break up request patterns",

  attach(memory, { backends }) {
    const rotation = Int32Array.from(memory.subarray(ROTATION, ROTATION + backends));
    const fold = foldAt(backends);
    return {
      pick() {
        let ticket = Atomics.add(memory, NEXT, 1);
        if (ticket >= fold) {
          foldBack(memory, NEXT, fold);
          ticket -= fold;
        }
        return rotation[(ticket + Math.floor(ticket / backends)) % backends]!;
      },
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
