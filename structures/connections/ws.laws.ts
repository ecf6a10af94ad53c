/**
 * The laws of a watch over a server's sockets, besides those of every watcher. Each returns undefined, or one sentence
 * that says what broke and by how much.
 */

/** No client is terminated that sent anything, or answered its ping, within the timeout. */
export function noLivingTerminated(terminated: readonly string[]): string | undefined {
  return terminated.length === 0
    ? undefined
    : `noLivingTerminated: ${terminated.length} were, that had sent ${[...new Set(terminated)].join(", ")}`;
}

/** A client that is gone is terminated, once, by the time that the options give. */
export function deadTerminatedInTime(
  missing: number,
  longestMs: number,
  allowedMs: number,
): string | undefined {
  return missing === 0 && longestMs <= allowedMs
    ? undefined
    : `deadTerminatedInTime: ${missing} were not, and one ${Math.round(longestMs)} ms after it was last heard, of ${allowedMs} ms`;
}

/** A client that sends more often than it would be pinged is not, and one that does not, once for each silence. */
export function pingsSparingly(needless: number, pings: number, most: number): string | undefined {
  return needless === 0 && pings <= most
    ? undefined
    : `pingsSparingly: ${needless} went to clients that had not been silent, and ${pings} to the others, of at most ${most}`;
}

/** A connection that has closed leaves no listener behind, and neither does the watch when it ends. */
export function leavesNoListener(afterClose: number, afterEnd: number): string | undefined {
  return afterClose === 0 && afterEnd === 0
    ? undefined
    : `leavesNoListener: ${afterClose} were left on closed connections, and ${afterEnd} after the end`;
}

/** The place of a connection that has closed or expired is used again. */
export function reusesPlaces(places: number, mostOpen: number): string | undefined {
  return places <= mostOpen
    ? undefined
    : `reusesPlaces: ${places} places were handed out to at most ${mostOpen} connections at a time`;
}

/** What the watch counts is what happened. */
export function countsRight(counted: string, happened: string): string | undefined {
  return counted === happened ? undefined : `countsRight: it counts ${counted}, where there were ${happened}`;
}
