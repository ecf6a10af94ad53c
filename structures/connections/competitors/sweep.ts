import type { Connection, ConnectionsCompetitor, WatchSetup } from "../connections.contract.ts";
import { type Mechanism, onceCaughtUp } from "../parts/caught-up.ts";

/**
 * The oracle: the time of each connection's last message in an array, and a scan over all of it each second.
 *
 * Promise: never early; up to a second late.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message reads the clock and stores it. Each second a scan looks at every place there is.
 * Memory: 16 bytes for each place.
 * Limits: a scan is one pause as long as the capacity.
 * Bet: for one timeout of many seconds nothing costs a server less, and its resolution of a second is as good as a
 *   wheel's.
 * Source: Workerman's manual, heartbeat: one timer of a second that compares every connection's last message with now.
 */
export default {
  summary: "oracle: an array of last messages' times, all of it scanned each second",
  source: "Workerman manual, heartbeat",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: () => PERIOD_MS,
  watch: (setup) => onceCaughtUp(setup, "messages", sweepOver),
} satisfies ConnectionsCompetitor;

/** Between two scans: the manual's second. */
const PERIOD_MS = 1000;
/** In the place of a connection that is not watched: later than any time. */
const NOBODY = Number.POSITIVE_INFINITY;

function sweepOver({ capacity, timeoutMs, loop, expired }: WatchSetup): Mechanism {
  const lastMessageMs = new Float64Array(capacity).fill(NOBODY);
  const connections = new Array<Connection | undefined>(capacity).fill(undefined);
  let size = 0;
  const forget = (place: number) => {
    lastMessageMs[place] = NOBODY;
    connections[place] = undefined;
    size--;
  };
  const scan = () => {
    const silentSinceMs = loop.now() - timeoutMs;
    for (let place = 0; place < capacity; place++) {
      if (lastMessageMs[place]! > silentSinceMs) continue;
      const connection = connections[place]!;
      forget(place);
      expired(connection);
    }
  };
  const scanning = loop.setInterval(scan, PERIOD_MS);
  return {
    opened(connection) {
      lastMessageMs[connection.place] = loop.now();
      connections[connection.place] = connection;
      size++;
    },
    renewed({ place }) {
      lastMessageMs[place] = loop.now();
    },
    closed: ({ place }) => forget(place),
    end() {
      loop.clearTimeout(scanning);
    },
    get size() {
      return size;
    },
  };
}
