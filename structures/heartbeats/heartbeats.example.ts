import type { HeartbeatScheduler } from "hotpath-lab/heartbeats";
import leastLoaded from "hotpath-lab/heartbeats/least-loaded";

/**
 * Ten thousand clients connect in the same second, and an hour later half of them leave and come back at once. Their
 * heartbeats still come evenly. It prints:
 *
 *     after the start: 16 to 17 heartbeats a second
 *     after the return: 16 to 17 heartbeats a second
 */
const CLIENTS = 10_000;
const INTERVAL_S = 600;

const scheduler: HeartbeatScheduler = leastLoaded.create(INTERVAL_S, 1);
const deadline = Array.from({ length: CLIENTS }, (_, client) => scheduler.connect(client, 0));
console.log(`after the start: ${fewestAndMost(0)} heartbeats a second`);

for (let now = 0; now < 3600; now++) beatAt(now);
const leaving = deadline.map((_, client) => client).filter((client) => client % 2 === 0);
for (const client of leaving) scheduler.disconnect(client, 3600);
for (const client of leaving) deadline[client] = scheduler.connect(client, 3600);
console.log(`after the return: ${fewestAndMost(3600)} heartbeats a second`);

/** Clients due in this second send their heartbeat and learn when the next one is. */
function beatAt(now: number): void {
  for (let client = 0; client < CLIENTS; client++) {
    if (deadline[client] === now) deadline[client] = scheduler.beat(client, now);
  }
}

/** The fewest and the most heartbeats in a second of the interval from `start` on. */
function fewestAndMost(start: number): string {
  const heartbeats = new Array<number>(INTERVAL_S).fill(0);
  for (const second of deadline) heartbeats[second - start]! += 1;
  return `${Math.min(...heartbeats)} to ${Math.max(...heartbeats)}`;
}
