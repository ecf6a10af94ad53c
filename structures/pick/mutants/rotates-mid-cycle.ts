import { STRIDE_WORDS } from "../../shared/layout.ts";
import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import honest from "../competitors/rotating-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: the rotation gets a new start in the middle of a cycle, after which backends come again and others are left
 * out.
 */
export const breaks = "cyclesAddUp";

export default {
  ...honest,
  summary: "mutant: rotated once in a third of a cycle more than a cycle",

  attach(memory, { backends, seed }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    const random = new Int32Array(SFC32_WORDS);
    const period = backends + Math.ceil(backends / 3);
    return {
      pick() {
        const ticket = Atomics.add(memory, NEXT, 1) & 0x7fffffff;
        seedSfc32(random, 0, seed, Math.floor(ticket / period));
        return rotation[(ticket + bounded(nextSfc32(random, 0), backends)) % backends]!;
      },
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
