import honest from "../competitors/least-loaded-scan.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/** Tells one client in a hundred to come back for its second heartbeat when nobody waits for it any more. */
export default {
  ...honest,
  summary: "mutant: one client in a hundred is never heard of again after its first heartbeat",

  create(interval, seed) {
    const scheduler = honest.create(interval, seed);
    return {
      connect: (client, now) => scheduler.connect(client, now),
      beat(client, now) {
        const deadline = scheduler.beat(client, now);
        return client % 100 === 0 ? now + NEVER : deadline;
      },
      disconnect: (client, now) => scheduler.disconnect(client, now),
    };
  },
} satisfies HeartbeatCompetitor;

export const breaks = "nobodyIsLost";

/** Longer than any fleet is watched, s. */
const NEVER = 10 ** 9;
