import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED, placing } from "../parts/placement.ts";

/**
 * Clients get the slots of the interval in turn. A slot is a phase of the clock: slot s is due whenever the time is s
 * modulo the interval, whenever its client came.
 *
 * Promise: every heartbeat exactly one interval after the last; while the fleet only grows, no two slots differ by
 *   more than one client.
 * Progress: wait-free.
 * Threads: one; a ticket shared by many would do.
 * Cost: O(1) for every call.
 * Memory: 4 to 6 bytes per client.
 * Limits: a client that leaves makes a hole that is filled only when its turn comes again. Under churn the slots drift
 *   half-way to random.
 * Bet: the source's fix done to the end is the optimum at rest, and only there.
 * Source: the heartbeat-smoothing document, "sequential slot allocation": "slot 0 is always absolute time mod 600".
 */
export default {
  ...PLACED,
  summary: "the slots in turn, each a phase of the clock",
  source: "the heartbeat-smoothing document",
  create: placing((slots) => {
    let turn = slots - 1;
    return {
      choose() {
        turn = turn + 1 === slots ? 0 : turn + 1;
        return turn;
      },
    };
  }),
} satisfies HeartbeatCompetitor;
