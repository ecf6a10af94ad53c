import { Random } from "../../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Each client draws one slot of the interval when it connects and keeps it.
 *
 * Promise: every heartbeat exactly one interval after the last; on average as many in each slot as in any other.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call.
 * Memory: 4 to 6 bytes per client.
 * Limits: a slot's messages scatter as a Poisson variable does, by the root of their mean, for ever. Nothing evens out
 *   an uneven draw.
 * Bet: needs no knowledge of the fleet, and churn can not make it worse; that is worth the scatter.
 * Source: the heartbeat-smoothing document, "random slot based approach".
 */
export default {
  ...PLACED,
  summary: "a random slot of the interval for each client, kept while it is connected",
  source: "the heartbeat-smoothing document",
  create: placing((slots, seed) => {
    const random = new Random(seed);
    return { choose: () => random.below(slots) };
  }),
} satisfies HeartbeatCompetitor;
