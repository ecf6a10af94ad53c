import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/leased-tickets-4.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/** Mutant: takes four tickets and takes them to end one earlier, so that nobody ever picks the fourth. */
export const breaks = "ticketsAreConserved";

export default {
  ...honest,
  summary: "mutant: leases that lose their last ticket",

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    let ticket = 0;
    let last = 0;
    return {
      pick() {
        if (ticket === last) {
          ticket = Atomics.add(memory, NEXT, LEASE);
          last = ticket + LEASE - 1;
        }
        return rotation[(ticket++ & 0x7fffffff) % backends]!;
      },
      counters: () => ({ heldAt: (ticket & 0x7fffffff) % backends, heldCount: last - ticket }),
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
const LEASE = 4;
