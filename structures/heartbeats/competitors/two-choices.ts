import { Random } from "../../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Each client draws two slots and takes the one with fewer clients, the first if they are equal.
 *
 * Promise: every heartbeat exactly one interval after the last. While the fleet only grows, the fullest slot is with
 *   high probability O(log log slots) above the mean.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call: two random numbers at a connect.
 * Memory: 4 to 6 bytes per client and per slot.
 * Limits: holds the fullest slot down and cares less for the emptiest.
 * Bet: most of what least loaded gives under churn, without keeping the slots in order.
 * Source: Azar, Broder, Karlin & Upfal, "Balanced Allocations" (1994); Mitzenmacher, "The Power of Two Choices" (2001).
 */
export default {
  ...PLACED,
  summary: "the less loaded of two random slots",
  source: 'Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing" (2001)',
  create: placing((slots, seed) => {
    const random = new Random(seed);
    const clientsIn = new Int32Array(slots);
    return {
      choose() {
        const first = random.below(slots);
        const second = random.below(slots);
        const slot = clientsIn[second]! < clientsIn[first]! ? second : first;
        clientsIn[slot]!++;
        return slot;
      },
      free(slot) {
        clientsIn[slot]!--;
      },
    };
  }),
} satisfies HeartbeatCompetitor;
