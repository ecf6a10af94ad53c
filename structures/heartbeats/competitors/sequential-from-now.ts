import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";
import { PLACED } from "../parts/placement.ts";
import { inTurn } from "../parts/sequential.ts";

/**
 * The slots in turn, counted from the moment of the connect.
 *
 * Promise: every heartbeat exactly one interval after the last.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: two clients that connect at different times with different slots may be due together, so the slots are only
 *   nearly even. Nothing ties them to the clock afterwards.
 * Bet: close enough to sequential-slot at rest that the source could stop here.
 * Source: the heartbeat-smoothing document, "sequential slot allocation", its fix as its graph shows it.
 */
export default {
  ...PLACED,
  summary: "the slots in turn, counted from the connect",
  source: "the heartbeat-smoothing document",
  create: (interval, seed, slots) => inTurn(interval, seed, slots, (offset, now) => now + offset),
} satisfies HeartbeatCompetitor;
