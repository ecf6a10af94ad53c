import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Gives each client the slot that has fewest clients, the lowest of them, found by looking at all.
 *
 * Promise: every heartbeat exactly one interval after the last. While the fleet only grows, or replaces at once the
 *   clients that leave, no two slots differ by more than one client. No placement can do better.
 * Progress: wait-free.
 * Threads: one.
 * Cost: connect O(slots); beat and disconnect O(1).
 * Memory: 4 to 6 bytes per client and per slot.
 * Limits: clients that leave and are not replaced leave holes that only later arrivals fill.
 * Bet: what its cousin with buckets saves is worth its bookkeeping from a few hundred slots on.
 * Source: greedy list scheduling (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), with equal jobs.
 */
export default {
  ...PLACED,
  summary: "the least loaded slot of the interval, by looking at all of them",
  source: 'greedy list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies" (1969)',
  variantOf: "least-loaded",
  spread: 1,
  create: placing((slots) => {
    const clientsIn = new Int32Array(slots);
    return {
      choose() {
        const slot = leastLoaded(clientsIn);
        clientsIn[slot]!++;
        return slot;
      },
      free(slot) {
        clientsIn[slot]!--;
      },
    };
  }),
} satisfies HeartbeatCompetitor;

/**
 * Of the least loaded slots the lowest. Not the first in turn. That would bring every reconnecting client's next
 * heartbeat forward, and the fleet would send more than one message per client and interval.
 */
export function leastLoaded(clientsIn: Int32Array): number {
  let least = 0;
  for (let slot = 1; slot < clientsIn.length; slot++) {
    if (clientsIn[slot]! < clientsIn[least]!) least = slot;
  }
  return least;
}
