import { evennessOf, type FleetSeen } from "./heartbeats.fleet.ts";

/**
 * What every scheduler owes, as functions over what was seen of a fleet. Each returns undefined, or one sentence that
 * says what broke.
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
 * over the observed time, and each connect in it adds or removes one message at most.
 */
export function conserved(seen: FleetSeen, deviation: number): string | undefined {
  const { clients, interval, messages, observedConnects } = seen;
  const seconds = messages.length;
  const heard = messages.reduce((sum, count) => sum + count, 0);
  const fewest = clients * Math.floor(seconds / (interval + deviation)) - observedConnects;
  const most = clients * Math.ceil(seconds / Math.max(1, interval - deviation)) + observedConnects;
  return heard >= fewest && heard <= most
    ? undefined
    : `${heard} heartbeats in ${seconds} s, where ${fewest} to ${most} were due`;
}

/** No two observed seconds differ by more messages than is claimed. */
export function level({ messages }: FleetSeen, spread: number): string | undefined {
  const { peak, low } = evennessOf(messages);
  return peak - low <= spread
    ? undefined
    : `one second had ${peak} messages and another ${low}, where ${spread} apart is claimed`;
}
