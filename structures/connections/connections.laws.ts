/**
 * What every watcher owes, as functions over what was seen of connections that fell silent or did not. Each returns
 * undefined, or one sentence that says what broke and by how much. Times in ms on the watcher's clock.
 */

/** Who falls silent is closed. */
export function everyDeadClosed(unclosed: number): string | undefined {
  return unclosed === 0 ? undefined : `everyDeadClosed: ${unclosed} fell silent and were never closed`;
}

/** Nobody is closed before a timeout of silence, but for the earliness that the watcher claims. */
export function noLiveClosed(
  shortestSilenceMs: number,
  timeoutMs: number,
  earlinessMs: number,
): string | undefined {
  return shortestSilenceMs >= timeoutMs - earlinessMs
    ? undefined
    : `noLiveClosed: one was closed after ${Math.round(shortestSilenceMs)} ms of silence, where ${timeoutMs - earlinessMs} ms are claimed`;
}

/** Nor later than the watcher claims, on an event loop that is never late. */
export function closedInTime(
  longestSilenceMs: number,
  timeoutMs: number,
  latenessMs: number,
): string | undefined {
  return longestSilenceMs <= timeoutMs + latenessMs
    ? undefined
    : `closedInTime: one was closed after ${Math.round(longestSilenceMs)} ms of silence, where ${timeoutMs + latenessMs} ms are claimed`;
}

/** A connection expires once, while it is open. */
export function expiresOnce(strays: number): string | undefined {
  return strays === 0 ? undefined : `expiresOnce: ${strays} that had expired or were closed expired again`;
}

/** When the last connection has closed nothing is watched, and no timer is pending that was not before the first. */
export function noTimerLeft(watched: number, timers: number): string | undefined {
  return watched === 0 && timers <= 0
    ? undefined
    : `noTimerLeft: ${watched} connections are watched and ${Math.max(0, timers)} timers pending after the last close`;
}
