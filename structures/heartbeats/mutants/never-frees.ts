import honest from "../competitors/least-loaded-scan.ts";
import type { HeartbeatCompetitor } from "../heartbeats.contract.ts";

/**
 * Keeps counting a client that has left, by giving every arrival a place that nobody had before. At rest it is the
 * optimum; under churn it evens out the living and the dead together.
 */
export default {
  ...honest,
  summary: "mutant: a client that leaves is still counted in its slot",

  create(interval, seed) {
    const scheduler = honest.create(interval, seed);
    const placeOf = new Map<number, number>();
    let places = 0;
    const placeHeldBy = (client: number) => {
      const place = placeOf.get(client);
      if (place === undefined) throw new Error(`client ${client} is not connected`);
      return place;
    };
    return {
      connect(client, now) {
        if (placeOf.has(client)) throw new Error(`client ${client} is already connected`);
        placeOf.set(client, places);
        return scheduler.connect(places++, now);
      },
      beat: (client, now) => scheduler.beat(placeHeldBy(client), now),
      disconnect(client) {
        placeHeldBy(client);
        placeOf.delete(client);
      },
    };
  },
} satisfies HeartbeatCompetitor;

export const breaks = "level";
