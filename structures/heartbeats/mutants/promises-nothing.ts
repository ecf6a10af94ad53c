import honest from "../competitors/least-loaded-scan.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/** Hears from every client twice in ten years, and claims no more. */
export default {
  ...honest,
  summary: "mutant: no heartbeat in the lifetime of a fleet, as is claimed",
  deviation: () => ({ earlier: 0, later: TEN_YEARS }),
  spread: Number.POSITIVE_INFINITY,
  spreadOfSurvivors: Number.POSITIVE_INFINITY,

  create(interval, seed, slots) {
    const scheduler = honest.create(interval, seed, slots);
    return {
      connect: (client, now) => scheduler.connect(client, now),
      beat(client, now) {
        scheduler.beat(client, now);
        return now + TEN_YEARS;
      },
      disconnect: (client, now) => scheduler.disconnect(client, now),
    };
  },
} satisfies HeartbeatCompetitor;

const TEN_YEARS = 10 * 365 * 24 * 3600;

export const breaks = "deviationIsBounded";
