import honest from "../competitors/least-loaded-scan.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/** Counts the second in which a heartbeat arrives as already over, so that every client falls back by one a turn. */
export default {
  ...honest,
  summary: "mutant: each heartbeat is due a second later than the last one's interval ends",

  create(interval, seed) {
    const scheduler = honest.create(interval, seed);
    return {
      connect: (client, now) => scheduler.connect(client, now),
      beat(client, now) {
        scheduler.beat(client, now);
        return now + interval + 1;
      },
      disconnect: (client, now) => scheduler.disconnect(client, now),
    };
  },
} satisfies HeartbeatCompetitor;

export const breaks = "punctual";
