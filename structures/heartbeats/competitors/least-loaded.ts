import { allocateRegion } from "../../shared/layout.ts";
import { LoadBuckets } from "../../slots/parts/buckets.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Gives each client a slot that has fewest clients, found at once because the slots are kept in the order of their
 * load.
 *
 * Promise: every heartbeat exactly one interval after the last. While the fleet only grows, or replaces at once the
 *   clients that leave, no two slots differ by more than one client. No placement can do better.
 * Progress: wait-free.
 * Threads: one; for many see structures/slots.
 * Cost: O(1) for every call.
 * Memory: 4 to 6 bytes per client, and the buckets' words per slot (see slots/parts/buckets.ts).
 * Limits: clients that leave and are not replaced leave holes that only later arrivals fill.
 * Bet: the scheduler to use: as even under churn as at rest, every heartbeat in its second, at a counter's cost.
 * Source: greedy list scheduling (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), with equal jobs.
 */
export default {
  ...PLACED,
  summary: "a least loaded slot of the interval, from slots kept in the order of their load",
  source: 'greedy list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies" (1969)',
  spread: 1,
  create: placing((slots) => {
    const buckets = bucketsFor(slots);
    return { choose: () => buckets.takeLeast(), free: (slot) => buckets.give(slot) };
  }),
} satisfies HeartbeatCompetitor;

/** Of this number of slots without clients. */
export function bucketsFor(slots: number): LoadBuckets {
  const memory = allocateRegion(LoadBuckets.words(slots));
  LoadBuckets.format(memory, slots);
  return new LoadBuckets(memory, slots);
}
