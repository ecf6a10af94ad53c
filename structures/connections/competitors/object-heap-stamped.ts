import objectHeapLazy from "../../timers/competitors/object-heap-lazy.ts";
import type { Connection, ConnectionsCompetitor, WatchSetup } from "../connections.contract.ts";
import { type Mechanism, onceCaughtUp } from "../parts/caught-up.ts";
import { timeoutsOn } from "../parts/over-timeouts.ts";

/**
 * The heap as the source document describes it. Each connection's timer runs once in a timeout and compares the time of
 * the last message with now. A message stores that time and leaves the timer alone.
 *
 * Promise: never early; up to a whole timeout late, because its timer may run right before the silence is long enough.
 * Progress: wait-free, but for the collector's pauses.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message reads the clock and stores it. Each connection's timer is taken from the heap and pushed again once in
 *   a timeout, O(log n) both.
 * Memory: a node of the heap and 8 bytes for each connection, and one node more for each that closed within a timeout.
 * Limits: a silent client is closed after one to two timeouts.
 * Bet: per message it costs least of all that close any connection, less than the wheel that is to replace it; and
 *   closes last.
 * Source: the document on the timing wheel in Workerman, section 3; walkor/workerman src/Events/Select.php.
 */
export default {
  summary: "the source's heap: a timer for each connection compares its last message's time with now",
  source: "timing wheel in Workerman, section 3",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: (timeoutMs) => timeoutMs + 2,
  watch: (setup) => onceCaughtUp(setup, "messages", watchStamps),
} satisfies ConnectionsCompetitor;

function watchStamps({ capacity, timeoutMs, loop, expired }: WatchSetup): Mechanism {
  const timeouts = timeoutsOn(objectHeapLazy, capacity, loop);
  const handles = new Float64Array(capacity);
  const lastMessageMs = new Float64Array(capacity);
  const start = (connection: Connection) => {
    handles[connection.place] = timeouts.set<Connection>(look, timeoutMs, connection);
  };
  const look = (connection: Connection) => {
    if (loop.now() - lastMessageMs[connection.place]! >= timeoutMs) expired(connection);
    else start(connection);
  };
  return {
    opened(connection) {
      lastMessageMs[connection.place] = loop.now();
      start(connection);
    },
    renewed(connection) {
      lastMessageMs[connection.place] = loop.now();
    },
    closed(connection) {
      timeouts.clear(handles[connection.place]!);
    },
    end() {
      timeouts.close();
    },
    get size() {
      return timeouts.size;
    },
  };
}
