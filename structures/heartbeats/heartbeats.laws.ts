import type { Deviation } from "./heartbeats.contract.ts";
import { evennessOf } from "./parts/evenness.ts";
import type { FleetSeen } from "./parts/fleet.ts";

/**
 * The laws of every scheduler, as functions over what was seen of a fleet whose heartbeats were sent when they were
 * due. Each returns undefined, or one sentence that says what broke. The deviation is the claimed one for the fleet's
 * interval.
 */

/**
 * No heartbeat is claimed to be off its interval by more than the interval itself. A claim as wide as that would leave
 * the other laws nothing to check.
 */
export function deviationIsBounded(interval: number, { earlier, later }: Deviation): string | undefined {
  return earlier >= 0 && earlier <= interval && later >= 0 && later <= interval
    ? undefined
    : `deviationIsBounded: ${earlier} s earlier and ${later} s later are claimed for ${interval} s`;
}

/** Heartbeats of one client stand one interval apart, and the first one at most an interval from the connect. */
export function punctual(seen: FleetSeen, { earlier, later }: Deviation): string | undefined {
  if (seen.mostEarlier > earlier)
    return `a heartbeat came ${seen.mostEarlier} s early, where ${earlier} s are claimed`;
  if (seen.mostLater > later)
    return `a heartbeat came ${seen.mostLater} s late, where ${later} s are claimed`;
  if (seen.longestWait > seen.interval + later)
    return `a first heartbeat came ${seen.longestWait} s after the connect`;
  return undefined;
}

/** No client was silent for longer than it may be, when it left or at the end. */
export function nobodyIsLost(
  { interval, longestSilence }: FleetSeen,
  { later }: Pick<Deviation, "later">,
): string | undefined {
  return longestSilence <= interval + later
    ? undefined
    : `a connected client was silent for ${longestSilence} s`;
}

/** While clients that leave are replaced at once, no two observed seconds differ by more messages than is claimed. */
export function level(seen: FleetSeen, spread: number): string | undefined {
  return seen.alwaysFull ? within(seen, spread) : undefined;
}

/**
 * They do not differ either when no client has come or left for three intervals, however many have left for good
 * before.
 */
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
