import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: each worker draws tickets four at a time and hands them out later, which conserves them but lets a pick
 * overtake one that returned before it began; it claims linearizable tickets all the same.
 */
export const breaks = "ticketsAreLinearizable";

export default {
  ...honest,
  summary: "mutant: leased tickets that claim to be linearizable",

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    let ticket = 0;
    let left = 0;
    return {
      pick() {
        if (left === 0) {
          ticket = Atomics.add(memory, NEXT, LEASE);
          left = LEASE;
        }
        left--;
        return rotation[(ticket++ & 0x7fffffff) % backends]!;
      },
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
const LEASE = 4;
