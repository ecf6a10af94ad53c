import { type DispatchList, NOBODY } from "hotpath-lab/dispatch";
import ringOfSlots from "hotpath-lab/dispatch/ring-of-slots";

/**
 * A server sends each of a thousand clients a heartbeat once a minute; after half an hour client 7 leaves. It prints:
 *
 *     59970 heartbeats in an hour: 30 to client 7, 60 to every other
 */
const CLIENTS = 1000;
const INTERVAL_S = 60;
/** Unix time in seconds; a server's is `Math.floor(Date.now() / 1000)`. */
const START = 1_763_836_101;

const list: DispatchList = ringOfSlots.create(CLIENTS, INTERVAL_S, START);
for (let client = 0; client < CLIENTS; client++) list.enter(client, START + (client % INTERVAL_S));

const heartbeats = new Array<number>(CLIENTS).fill(0);
for (let now = START; now < START + 3600; now++) {
  if (now === START + 1800) list.remove(7);
  for (let client = list.take(now); client !== NOBODY; client = list.take(now)) {
    heartbeats[client]! += 1;
    list.enter(client, now + INTERVAL_S);
  }
}

const sent = heartbeats.reduce((sum, count) => sum + count, 0);
const others = new Set(heartbeats.filter((_, client) => client !== 7));
const share = `${heartbeats[7]} to client 7, ${[...others].join(" or ")} to every other`;
console.log(`${sent} heartbeats in an hour: ${share}`);
