import type { Connection, ConnectionsCompetitor, WatchSetup } from "../connections.contract.ts";
import { beatOf, type CaughtUpWatcher, caughtUp } from "./caught-up.ts";
import { sweepOver } from "./sweeping.ts";

export interface AskingSetup extends WatchSetup {
  /** Silence after which a connection is pinged, in ms: from a tenth of the timeout to nine tenths. */
  readonly pingAfterMs: number;
  /**
   * The longest that a late event loop may put off an expiry, in ms, without the time for which it stood still: from a
   * tenth of the timeout to all of it.
   */
  readonly stallMs: number;
}

/** The longest time after its timeout at which a connection expires on a loop that is never late, in ms. */
export function latenessOf(timeoutMs: number, pingAfterMs: number): number {
  return beatOf(pingAfterMs) + beatOf(timeoutMs - pingAfterMs);
}

/** What every watcher claims that pings after half of the timeout. */
export const ASKS_AT_HALF = {
  progress: "wait-free",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: (timeoutMs) => latenessOf(timeoutMs, timeoutMs / 2),
} satisfies Partial<ConnectionsCompetitor>;

/**
 * Pings a connection that has been silent for `pingAfterMs`, and expires it if it stays silent for the rest of its
 * timeout. Each of these two waits is a watcher of its own: a connection that is silent for too long in the first is
 * pinged and handed to the second, and whatever it sends there brings it back. So no connection is pinged, and none
 * expires, before the loop has read what clients had sent and made good the time for which it stood still. A
 * connection always has the second wait to answer, however long the loop stood still before.
 *
 * Both sweep an array of times at each beat, for what is silent needs no more: one array of times answers for any
 * number of connections, grows with them, and cannot be early.
 */
export function askFirst({ pingAfterMs, stallMs, expired, ...setup }: AskingSetup): CaughtUpWatcher {
  const { timeoutMs } = setup;
  const wait = (waitMs: number, over: (connection: Connection) => void) =>
    caughtUp(
      { ...setup, timeoutMs: waitMs, expired: over },
      "messages",
      (inner) => sweepOver(inner, beatOf(waitMs)),
      (stallMs * waitMs) / timeoutMs,
    );
  /** Places of the connections that were pinged and have not been heard since. */
  const pinged = new Set<number>();
  const silent = wait(pingAfterMs, (connection) => {
    asked.opened(connection);
    pinged.add(connection.place);
    connection.ping();
  });
  const asked = wait(timeoutMs - pingAfterMs, (connection) => {
    pinged.delete(connection.place);
    expired(connection);
  });
  const heard = (connection: Connection) => {
    // Both, for a loop has caught up when it brings nothing for any connection.
    silent.heard(connection);
    asked.heard(connection);
    if (pinged.size === 0 || !pinged.delete(connection.place)) return;
    asked.closed(connection);
    silent.closed(connection);
    silent.opened(connection);
  };
  return {
    opened: (connection) => silent.opened(connection),
    heard,
    answered: heard,
    resumed() {
      silent.resumed();
      asked.resumed();
    },
    closed(connection) {
      pinged.delete(connection.place);
      asked.closed(connection);
      silent.closed(connection);
    },
    end() {
      pinged.clear();
      silent.end();
      asked.end();
    },
    get size() {
      return silent.size + asked.size;
    },
    /** The shorter wait has the shorter beat, which sees all that the other's does. */
    get standstills() {
      return Math.max(silent.standstills, asked.standstills);
    },
  };
}
