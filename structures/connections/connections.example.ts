import { eventLoop } from "hotpath-lab/connections";
import hashedWheel from "hotpath-lab/connections/hashed-wheel";

/**
 * Watches two connections; only one of them sends. It prints:
 *
 *     1 was silent
 *     1 is still watched
 */
const connections = [0, 1].map((place) => ({ place, ping() {} }));
const watcher = hashedWheel.watch({
  capacity: connections.length,
  timeoutMs: 1000,
  loop: eventLoop(),
  expired({ place }) {
    console.log(`${place} was silent`);
    clearInterval(sending);
    watcher.closed(connections[place]!);
    console.log(`${watcher.size} is still watched`);
    watcher.end();
  },
});
for (const connection of connections) watcher.opened(connection);
const sending = setInterval(() => watcher.heard(connections[0]!), 100);
