import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { CAP_S, loadBased } from "../parts/load.ts";

/**
 * Lengthens an interval by the current load, by 300 s at most.
 *
 * Promise: heartbeats up to 300 s more than one interval apart; no bound on a second.
 * Progress: wait-free.
 * Threads: one: the load is the server's.
 * Cost: O(1) for every call.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: clients that meet the cap stay together, so a spike loses about as many at each turn whatever its height.
 * Bet: a controller that only sees the present needs as many turns as the spike has clients to spread.
 * Source: the heartbeat-smoothing document, "accounting for the current load"; the decay as in mosquitto's calc_load.
 */
export default {
  summary: "the interval and the current load on top, 300 s at most",
  source: "the heartbeat-smoothing document; mosquitto calc_load",
  ...loadBased((load) => Math.min(CAP_S, Math.floor(load))),
} satisfies HeartbeatCompetitor;
