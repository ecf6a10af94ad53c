import { Random } from "../../structures/shared/sfc32.ts";

/**
 * A process that takes 0.3 of a core, in bursts of 5 to 50 ms. An editor, a browser or another user's build takes about
 * as much of a machine. Calibrations measure beside it what the judge still sees then. Its bursts are the same each
 * time; where they fall is not. Ends when its parent does.
 *
 *     node scripts/calibrate/disturber.ts
 */
const SHARE = 0.3;
const SHORTEST_MS = 5;
const LONGEST_MS = 50;

const random = new Random(20261126);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const parent = process.ppid;
while (process.ppid === parent) {
  const burstMs = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * random.fraction();
  const untilMs = performance.now() + burstMs;
  while (performance.now() < untilMs);
  Atomics.wait(never, 0, 0, burstMs / SHARE - burstMs);
}
