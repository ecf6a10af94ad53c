import { Random } from "../../shared/sfc32.ts";
import honest from "../competitors/jitter-15.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/** Takes its jitter off the interval where it promises to add it. */
export default {
  ...honest,
  summary: "mutant: up to 14 s less than an interval, where up to 14 s more are claimed",

  create(interval, seed, slots) {
    const scheduler = honest.create(interval, seed, slots);
    const random = new Random(seed);
    return {
      connect: (client, now) => scheduler.connect(client, now),
      beat(client, now) {
        scheduler.beat(client, now);
        return now + Math.max(1, interval - random.below(15));
      },
      disconnect: (client) => scheduler.disconnect(client),
    };
  },
} satisfies HeartbeatCompetitor;

export const breaks = "punctual";
