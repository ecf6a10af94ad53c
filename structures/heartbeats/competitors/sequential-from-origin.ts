import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED } from "../parts/placement.ts";
import { inTurn } from "../parts/sequential.ts";

/**
 * The slots in turn, read as seconds since the origin of time; a first heartbeat whose second has passed is due at once.
 *
 * Promise: every heartbeat exactly one interval after the last.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: right only while all clients connect before the first slot is due. Later, whole seconds' worth of newcomers
 *   find their slots in the past and beat together.
 * Bet: loses to sequential-slot by as much as clients take to arrive; here to show why.
 * Source: the heartbeat-smoothing document, "sequential slot allocation", its naive form.
 */
export default {
  ...PLACED,
  summary: "the slots in turn, taken for seconds since the origin; overdue ones at once",
  source: "the heartbeat-smoothing document",
  create: (interval, seed, slots) => inTurn(interval, seed, slots, Math.max),
} satisfies HeartbeatCompetitor;
