import type { Connection, WatchSetup } from "../connections.contract.ts";
import type { Mechanism } from "./caught-up.ts";

/** In the place of a connection that is not watched: later than any time. */
const NOBODY = Number.POSITIVE_INFINITY;

/**
 * The time of each connection's last message in an array, all of which is scanned each `periodMs`. It grows with the
 * highest place that is used, whatever the capacity. The scans do not keep the process alive.
 */
export function sweepOver({ timeoutMs, loop, expired }: WatchSetup, periodMs: number): Mechanism {
  const lastMessageMs: number[] = [];
  const connections: (Connection | undefined)[] = [];
  let size = 0;
  const forget = (place: number) => {
    lastMessageMs[place] = NOBODY;
    connections[place] = undefined;
    size--;
  };
  const scan = () => {
    const silentSinceMs = loop.now() - timeoutMs;
    for (let place = 0; place < lastMessageMs.length; place++) {
      if (lastMessageMs[place]! > silentSinceMs) continue;
      const connection = connections[place]!;
      forget(place);
      expired(connection);
    }
  };
  const scanning = loop.setInterval(scan, periodMs);
  scanning.unref();
  return {
    opened(connection) {
      const { place } = connection;
      // One after the other, so that neither array has holes.
      while (lastMessageMs.length <= place) {
        lastMessageMs.push(NOBODY);
        connections.push(undefined);
      }
      lastMessageMs[place] = loop.now();
      connections[place] = connection;
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
