import type { Connection, ConnectionsCompetitor, WatchSetup } from "../connections.contract.ts";
import { type Mechanism, onceCaughtUp } from "../parts/caught-up.ts";

/**
 * The loop that ws's README recommends: in each timeout every connection is pinged, and closed in the next if it has not
 * answered. Messages do not count.
 *
 * Promise: no client that answers each ping at once is closed; a silent one is, one to two timeouts after its last pong.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has its own.
 * Cost: a message costs nothing. Each connection takes a frame out and one in for each timeout; all pings are sent at once.
 * Memory: a mark and a reference for each connection.
 * Limits: a client that answers slowly is closed, however much it sends. A ping sent right after a connection opened or
 *   answered leaves it a timeout for the next. The whole fleet answers at the same moment.
 * Bet: its frames cost more than any of the structures, and its burst is what the event loop feels most.
 * Source: websockets/ws README, "How to detect and close broken connections?".
 */
export default {
  summary: "ws's README: ping all once in a timeout, close who has not answered by the next",
  source: "websockets/ws README, How to detect and close broken connections",
  progress: "wait-free",
  renewedBy: "pongs",
  earliness: (_timeoutMs, turnMs) => turnMs,
  lateness: (timeoutMs) => timeoutMs,
  watch: (setup) => onceCaughtUp(setup, "pongs", pingAll),
} satisfies ConnectionsCompetitor;

function pingAll({ capacity, timeoutMs, loop, expired }: WatchSetup): Mechanism {
  const isAlive = new Uint8Array(capacity);
  const connections = new Array<Connection | undefined>(capacity).fill(undefined);
  let size = 0;
  const forget = ({ place }: Connection) => {
    connections[place] = undefined;
    size--;
  };
  const ask = (connection: Connection) => {
    if (isAlive[connection.place] === 0) {
      forget(connection);
      expired(connection);
      return;
    }
    isAlive[connection.place] = 0;
    connection.ping();
  };
  const asking = loop.setInterval(() => {
    for (const connection of connections) if (connection !== undefined) ask(connection);
  }, timeoutMs);
  return {
    opened(connection) {
      connections[connection.place] = connection;
      isAlive[connection.place] = 1;
      size++;
    },
    renewed({ place }) {
      isAlive[place] = 1;
    },
    closed: forget,
    end() {
      loop.clearTimeout(asking);
    },
    get size() {
      return size;
    },
  };
}
