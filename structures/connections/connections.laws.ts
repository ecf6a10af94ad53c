/**
 * The laws of every watcher, as functions over what was seen of connections that fell silent or did not. Each returns
 * undefined, or one sentence that says what broke and by how much. Times in ms on the watcher's clock.
 */

/** A client that falls silent is closed. */
export function everyDeadClosed(unclosed: number): string | undefined {
  return unclosed === 0 ? undefined : `everyDeadClosed: ${unclosed} fell silent and were never closed`;
}

/** No connection is closed before a timeout of silence, except for the earliness that the watcher claims. */
export function noLiveClosed(
  shortestSilenceMs: number,
  timeoutMs: number,
  earlinessMs: number,
): string | undefined {
  return shortestSilenceMs >= timeoutMs - earlinessMs
    ? undefined
    : `noLiveClosed: one was closed after ${Math.round(shortestSilenceMs)} ms of silence, where ${timeoutMs - earlinessMs} ms are claimed`;
}

/** A client that sends in time is never closed, even if the server stood still while its message waited. */
export function noneClosedUnread(living: number): string | undefined {
  return living === 0
    ? undefined
    : `noneClosedUnread: ${living} were closed by a server that had stood still and not read what they sent`;
}

/**
 * It is not closed later than the watcher claims either. The silence excludes the time for which the event loop stood
 * still. After a stall, a dead connection is closed at most `graceMs` later than on a loop that is never late.
 */
export function closedInTime(
  longestSilenceMs: number,
  timeoutMs: number,
  latenessMs: number,
  graceMs: number,
): string | undefined {
  const allowedMs = timeoutMs + latenessMs + graceMs;
  return longestSilenceMs <= allowedMs
    ? undefined
    : `closedInTime: one was closed after ${Math.round(longestSilenceMs)} ms of silence, where ${allowedMs} ms are claimed`;
}

/** A connection expires once, while it is open. */
export function expiresOnce(strays: number): string | undefined {
  return strays === 0 ? undefined : `expiresOnce: ${strays} that had expired or were closed expired again`;
}

/** The size counts the connections that are open and have not expired. */
export function countsWatched(miscounts: number): string | undefined {
  return miscounts === 0
    ? undefined
    : `countsWatched: the size was another than that of open connections ${miscounts} times`;
}

/** When the last connection has closed, nothing is watched, and after a second no timer is left that began meanwhile. */
export function noTimerLeft(watched: number, timers: number): string | undefined {
  return watched === 0 && timers <= 0
    ? undefined
    : `noTimerLeft: ${watched} connections are watched and ${Math.max(0, timers)} timers pending after the last close`;
}

/** After its end a watcher expires no connection, whatever is still called on it, watches none and leaves no timer. */
export function endsWhole(expired: number, watched: number, timers: number): string | undefined {
  return expired === 0 && watched === 0 && timers === 0
    ? undefined
    : `endsWhole: ${expired} expired after the end, with ${watched} connections watched and ${timers} timers pending`;
}

/** A setup that cannot be served is refused, by a RangeError in `watch`. */
export function refusesAtWatch(taken: readonly string[]): string | undefined {
  return taken.length === 0 ? undefined : `refusesAtWatch: it took ${taken.join(", ")}`;
}
