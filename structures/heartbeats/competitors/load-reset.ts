import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { CAP_S, loadBased } from "../parts/load.ts";

/**
 * Lengthens an interval by the current load, and not at all while that is above 300 s.
 *
 * Promise: heartbeats up to 300 s more than one interval apart; no bound on a second.
 * Progress: wait-free.
 * Threads: one: the load is the server's.
 * Cost: O(1) for every call.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: a spike loses about as many clients at each turn whatever its height, as under the cap. But clients above the
 *   cap keep their interval of 600 s, where the cap makes it 900, so there are more turns in the same time.
 * Bet: giving up where it cannot help beats helping as much as it can; and still loses to any slot.
 * Source: the heartbeat-smoothing document, "accounting for the current load"; the decay as in mosquitto's calc_load.
 */
export default {
  summary: "the interval and the current load on top, nothing while that is above 300 s",
  source: "the heartbeat-smoothing document; mosquitto calc_load",
  ...loadBased((load) => (load > CAP_S ? 0 : Math.floor(load))),
} satisfies HeartbeatCompetitor;
