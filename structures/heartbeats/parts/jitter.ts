import { Random } from "../../shared/sfc32.ts";
import { checkedSlots, type HeartbeatCompetitor, RESOLUTION } from "../heartbeats.contract.ts";
import { Roster } from "./roster.ts";

/** What makes a scheduler that adds a random 0 .. width - 1 s to every interval, each drawn anew. `width` from 1 s. */
export function jitter(width: number) {
  return {
    summary: `a random 0 to ${width - 1} s on top of every interval`,
    source:
      "the heartbeat-smoothing document; Floyd & Jacobson, synchronization of periodic routing messages (1994)",
    progress: "wait-free",
    resolution: RESOLUTION,
    deviation: () => ({ earlier: 0, later: width - 1 }),
    spread: Number.POSITIVE_INFINITY,
    spreadOfSurvivors: Number.POSITIVE_INFINITY,

    create(interval, seed, slots) {
      checkedSlots(interval, seed, slots);
      const roster = new Roster();
      const random = new Random(seed);
      const next = (now: number) => now + interval + random.below(width);
      return {
        connect(client, now) {
          roster.admit(client);
          return next(now);
        },
        beat(client, now) {
          roster.assertPresent(client);
          return next(now);
        },
        disconnect: (client) => roster.dismiss(client),
      };
    },
  } satisfies HeartbeatCompetitor;
}
