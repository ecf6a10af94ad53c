import { exponential } from "../../shared/elementary.ts";
import { checkedSlots, RESOLUTION } from "../heartbeats.contract.ts";
import { Roster } from "./roster.ts";

/**
 * Schedulers that lengthen the interval by the load they see: an exponentially decaying count of recent heartbeats,
 * updated at each of them. The source gives neither the decay nor the weight of a message. With these two, both of its
 * graphs come out within 40 messages of what it says. With a load that is updated once per second the spike never
 * shrinks.
 */
const DECAY_S = 1;
/** What one heartbeat adds to the load, which is read as seconds. */
const PER_BEAT_S = 10.5;
/** The most that is added to an interval. */
export const CAP_S = 300;
/** After this number of seconds the load is below 10^-9 of what it was, and counts as nothing. */
const FORGOTTEN_AFTER_S = 21 * DECAY_S;

/** All of a load-based scheduler but its words; `extra` makes whole seconds, 0 .. CAP_S, of a load. */
export function loadBased(extra: (load: number) => number) {
  return {
    progress: "wait-free" as const,
    resolution: RESOLUTION,
    deviation: () => ({ earlier: 0, later: CAP_S }),
    spread: Number.POSITIVE_INFINITY,
    spreadOfSurvivors: Number.POSITIVE_INFINITY,

    create(interval: number, seed: number, slots?: number) {
      checkedSlots(interval, seed, slots);
      const roster = new Roster();
      const left = decays();
      let load = 0;
      let updatedAt = 0;
      return {
        connect(client: number, now: number) {
          roster.admit(client);
          return now + interval;
        },
        beat(client: number, now: number) {
          roster.assertPresent(client);
          load = load * (left[now - updatedAt] ?? 0) + PER_BEAT_S;
          updatedAt = now;
          return now + interval + extra(load);
        },
        disconnect: (client: number) => roster.dismiss(client),
      };
    },
  };
}

/** What is left of a load after 0, 1, 2, ... s. */
function decays(): Float64Array {
  const left = new Float64Array(FORGOTTEN_AFTER_S).fill(1);
  const perSecond = exponential(-1 / DECAY_S);
  for (let second = 1; second < left.length; second++) left[second] = left[second - 1]! * perSecond;
  return left;
}
