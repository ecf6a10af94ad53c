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
    const lap = memory.subarray(LAP, LAP + backends);
    let ticket = 0;
    let left = 0;
    return {
      pick() {
        if (left === 0) {
          ticket = Atomics.add(memory, NEXT, LEASE);
          left = LEASE;
        }
        left--;
        return lap[(ticket++ & 0x7fffffff) % backends]!;
      },
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const LAP = STRIDE_WORDS;
const LEASE = 4;
