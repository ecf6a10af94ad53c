import { bounded } from "../../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Each client's slot lies a golden section of the interval after the previous one. Wherever the sequence ends, the
 * slots given out are spread nearly evenly.
 *
 * Promise: every heartbeat exactly one interval after the last. While the fleet only grows, the gaps between given
 *   points of the interval have at most three lengths (Steinhaus), before they are rounded to slots.
 * Progress: wait-free.
 * Threads: one; a ticket shared by many would do.
 * Cost: O(1) for every call: one multiplication.
 * Memory: 4 to 6 bytes per client.
 * Limits: departures make holes that are not filled on purpose, as with every sequence.
 * Bet: as even as counting at rest whatever the number of clients, and under churn no better.
 * Source: multiplicative hashing (Knuth, TAOCP 6.4): 2^32 over the golden ratio, as a Weyl sequence modulo 2^32.
 */
export default {
  ...PLACED,
  summary: "each slot a golden section of the interval after the one before",
  source: "Knuth, TAOCP 6.4: multiplicative hashing",
  create: placing((slots) => {
    let turn = 0;
    return {
      choose() {
        turn = (turn + GOLDEN_SECTION) | 0;
        return bounded(turn, slots);
      },
    };
  }),
} satisfies HeartbeatCompetitor;

/** The odd integer nearest to 2^32 over the golden ratio. */
const GOLDEN_SECTION = 0x9e3779b9;
