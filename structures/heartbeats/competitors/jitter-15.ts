import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { jitter } from "../parts/jitter.ts";

/**
 * Adds a random 0 to 14 s to every interval, drawn anew for every heartbeat.
 *
 * Promise: heartbeats 0 to 14 s more than one interval apart; no bound on a second.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call: one random number.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: the mean interval is 7 s longer, so that many fewer messages are sent. Settled, the seconds scatter as with
 *   random slots, but never repeat.
 * Bet: so small a jitter takes longer to spread a restart than fleets live between restarts.
 * Source: the heartbeat-smoothing document, "adding jitter".
 */
export default jitter(15) satisfies HeartbeatCompetitor;
