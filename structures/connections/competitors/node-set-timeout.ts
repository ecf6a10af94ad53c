import type { Connection, ConnectionsCompetitor, Timer, WatchSetup } from "../connections.contract.ts";
import { type Mechanism, onceCaughtUp } from "../parts/caught-up.ts";

/**
 * A setTimeout for each connection, and refresh() for each message.
 *
 * Promise: as Node's timers. Early by up to a millisecond plus the turn of the event loop in which it was set. Late by
 *   as long as the event loop is busy.
 * Progress: wait-free; what Node does behind its API is not counted.
 * Threads: one; each server process has its own.
 * Cost: refresh() reads the loop's clock and moves the timer to the end of Node's list of its duration.
 * Memory: a Timeout object for each connection.
 * Limits: Node holds all timers of one duration in one list; mixed durations cost a heap of lists.
 * Bet: with one timeout for all this is the right structure, and costs no more than the objects do.
 * Source: Node.js lib/internal/timers.js; net.Socket's setTimeout does the same.
 */
export default {
  summary: "one setTimeout for each connection, and refresh() for each message",
  source: "Node.js lib/internal/timers.js",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: (_timeoutMs, turnMs) => 1 + turnMs,
  lateness: () => 1,
  watch: (setup) => onceCaughtUp(setup, "messages", watchWithSetTimeout),
} satisfies ConnectionsCompetitor;

function watchWithSetTimeout({ capacity, timeoutMs, loop, expired }: WatchSetup): Mechanism {
  const timers = new Array<Timer | undefined>(capacity).fill(undefined);
  let size = 0;
  const forget = ({ place }: Connection) => {
    loop.clearTimeout(timers[place]!);
    timers[place] = undefined;
    size--;
  };
  const expire = (connection: Connection) => {
    forget(connection);
    expired(connection);
  };
  return {
    opened(connection) {
      timers[connection.place] = loop.setTimeout(expire, timeoutMs, connection);
      size++;
    },
    renewed({ place }) {
      timers[place]!.refresh();
    },
    closed: forget,
    end() {
      for (const timer of timers) if (timer !== undefined) loop.clearTimeout(timer);
      timers.fill(undefined);
      size = 0;
    },
    get size() {
      return size;
    },
  };
}
