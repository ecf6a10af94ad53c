import { evennessOf } from "./heartbeats.evenness.ts";
import type { FleetSeen } from "./heartbeats.fleet.ts";

/**
 * What every scheduler owes, as functions over what was seen of a fleet whose heartbeats were sent when they were due.
 * Each returns undefined, or one sentence that says what broke. `deviation` is the claimed one for the fleet's interval.
 */

/** Heartbeats of one client stand one interval apart, and the first one interval at most from the connect. */
export function punctual(seen: FleetSeen, deviation: number): string | undefined {
  if (seen.worstDeviation > deviation)
    return `two heartbeats stood ${seen.worstDeviation} s off the interval, where ${deviation} s are claimed`;
  if (seen.longestWait > seen.interval + deviation)
    return `a first heartbeat came ${seen.longestWait} s after the connect`;
  return undefined;
}

/** No client that is connected at the end has been silent for longer than it may be. */
export function nobodyIsLost({ interval, longestSilence }: FleetSeen, deviation: number): string | undefined {
  return longestSilence <= interval + deviation
    ? undefined
    : `a connected client has been silent for ${longestSilence} s`;
}

/**
 * Nothing is lost or made up: each client was heard once per interval, give or take what the claimed deviation allows
 * over the observed time; who was there for part of it as often as that part allows, give or take one.
 */
export function conserved(seen: FleetSeen, deviation: number): string | undefined {
  const { interval, wholeLives, partialLives, partialSeconds } = seen;
  const observed = observedMessages(seen);
  const longest = interval + deviation;
  const shortest = Math.max(1, interval - deviation);
  const heard = observed.reduce((sum, count) => sum + count, 0);
  const fewest =
    wholeLives * Math.floor(observed.length / longest) + Math.ceil(partialSeconds / longest) - partialLives;
  const most =
    wholeLives * Math.ceil(observed.length / shortest) + Math.floor(partialSeconds / shortest) + partialLives;
  return heard >= fewest && heard <= most
    ? undefined
    : `${heard} heartbeats in ${observed.length} s, where ${fewest} to ${most} were due`;
}

/** While whoever leaves is replaced at once, no two observed seconds differ by more messages than is claimed. */
export function level(seen: FleetSeen, spread: number): string | undefined {
  return seen.alwaysFull ? within(seen, spread) : undefined;
}

/** Nor do they when nobody has come or left for three intervals, whoever has left for good before. */
export function levelForSurvivors(seen: FleetSeen, spreadOfSurvivors: number): string | undefined {
  return seen.restingSince + 3 * seen.interval <= seen.observedFrom
    ? within(seen, spreadOfSurvivors)
    : undefined;
}

function within(seen: FleetSeen, spread: number): string | undefined {
  const { peak, low } = evennessOf(observedMessages(seen));
  return peak - low <= spread
    ? undefined
    : `one second had ${peak} messages and another ${low}, where ${spread} apart is claimed`;
}

export function observedMessages({ messages, observedFrom }: FleetSeen): Int32Array {
  return messages.subarray(observedFrom);
}
