import { changed, like, type Mutants, mutantAsked, mutantsIn } from "../shared/mutants.ts";
import { Random } from "../shared/sfc32.ts";
import type { HeartbeatCompetitor } from "./heartbeats.contract.ts";

/** Longer than any fleet is watched, s. */
const NEVER = 10 ** 9;
const TEN_YEARS = 10 * 365 * 24 * 3600;

const TABLE: Mutants<HeartbeatCompetitor> = {
  /** Counts the second in which a heartbeat arrives as already over, so that every client falls back by one a turn. */
  drifting: like("least-loaded", "punctual", (honest) => ({
    create(interval, seed) {
      const scheduler = honest.create(interval, seed);
      return changed(scheduler, {
        beat(client, now) {
          scheduler.beat(client, now);
          return now + interval + 1;
        },
      });
    },
  })),
  /** Tells one client in a hundred to come back for its second heartbeat when nobody waits for it any more. */
  "gives-up": like("least-loaded", "nobodyIsLost", (honest) => ({
    create(interval, seed) {
      const scheduler = honest.create(interval, seed);
      return changed(scheduler, {
        beat(client, now) {
          const deadline = scheduler.beat(client, now);
          return client % 100 === 0 ? now + NEVER : deadline;
        },
      });
    },
  })),
  /**
   * Keeps counting a client that has left, by giving every arrival a place that nobody had before. At rest it is the
   * optimum; under churn it evens out the living and the dead together.
   */
  "never-frees": like("least-loaded", "level", (honest) => ({
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
  })),
  /** Promises to even out who is left when others have gone for good, and places arrivals only. */
  "never-moves": like("least-loaded", "levelForSurvivors", () => ({ spreadOfSurvivors: 1 })),
  /** Hears from every client twice in ten years, and claims no more. */
  "promises-nothing": like("least-loaded", "deviationIsBounded", (honest) => ({
    deviation: () => ({ earlier: 0, later: TEN_YEARS }),
    spread: Number.POSITIVE_INFINITY,
    spreadOfSurvivors: Number.POSITIVE_INFINITY,

    create(interval, seed, slots) {
      const scheduler = honest.create(interval, seed, slots);
      return changed(scheduler, {
        beat(client, now) {
          scheduler.beat(client, now);
          return now + TEN_YEARS;
        },
      });
    },
  })),
  /** Takes its jitter off the interval where it promises to add it. */
  shortens: like("jitter-15", "punctual", (honest) => ({
    create(interval, seed, slots) {
      const scheduler = honest.create(interval, seed, slots);
      const random = new Random(seed);
      return changed(scheduler, {
        beat(client, now) {
          scheduler.beat(client, now);
          return now + Math.max(1, interval - random.below(15));
        },
      });
    },
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
