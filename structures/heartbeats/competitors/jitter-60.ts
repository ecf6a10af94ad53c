import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { jitter } from "../parts/jitter.ts";

/**
 * Adds a random 0 to 59 s to every interval, drawn anew for every heartbeat.
 *
 * Promise: heartbeats 0 to 59 s more than one interval apart; no bound on a second.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call: one random number.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: the mean interval is 29.5 s longer, so that many fewer messages are sent. Settled, the seconds scatter as
 *   with random slots, but never repeat.
 * Bet: a tenth of the interval still takes half a day.
 * Source: the heartbeat-smoothing document; the width is one of a sweep.
 */
export default { ...jitter(60), variantOf: "jitter-300" } satisfies HeartbeatCompetitor;
