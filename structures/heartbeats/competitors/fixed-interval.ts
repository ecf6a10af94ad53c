import { checkedSlots, type HeartbeatCompetitor, NO_DEVIATION, RESOLUTION } from "../heartbeats.contract.ts";
import { Roster } from "../parts/roster.ts";

/**
 * Every client's heartbeat is due one interval after its last, regardless of what else is due then.
 *
 * Promise: every heartbeat exactly one interval after the connect or the last heartbeat.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call.
 * Memory: 1 to 1.5 bytes per client, to refuse what does not fit its state.
 * Limits: clients that connect together beat together for ever; only their leaving and coming back spreads them.
 * Bet: none: what the source starts from.
 * Source: the heartbeat-smoothing document, "fixed 600 second interval".
 */
export default {
  summary: "one interval after the last heartbeat, whoever else is due",
  source: "the heartbeat-smoothing document",
  progress: "wait-free",
  resolution: RESOLUTION,
  deviation: () => NO_DEVIATION,
  spread: Number.POSITIVE_INFINITY,
  spreadOfSurvivors: Number.POSITIVE_INFINITY,

  create(interval, seed, slots) {
    checkedSlots(interval, seed, slots);
    const roster = new Roster();
    return {
      connect(client, now) {
        roster.admit(client);
        return now + interval;
      },
      beat(client, now) {
        roster.assertPresent(client);
        return now + interval;
      },
      disconnect: (client) => roster.dismiss(client),
    };
  },
} satisfies HeartbeatCompetitor;
