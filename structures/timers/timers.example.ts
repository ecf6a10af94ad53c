import { Timeouts } from "hotpath-lab/timers";
import hashedWheel from "hotpath-lab/timers/hashed-wheel";

/**
 * A thousand connections, each with a timeout that its messages postpone: one native timer serves them all. It prints:
 *
 *     600 connections timed out, 400 to 999; 0 timers left
 */
const CONNECTIONS = 1000;
const IDLE_MS = 20;

const timeouts = new Timeouts(hashedWheel, CONNECTIONS);
const idle: number[] = [];
const handles = Array.from({ length: CONNECTIONS }, (_, connection) =>
  timeouts.set((silent) => idle.push(silent), IDLE_MS, connection),
);

// A message comes in on each: its timeout begins anew, under the same handle.
for (const handle of handles) timeouts.refresh(handle);
// The first 400 close: their callbacks never run.
for (const handle of handles.slice(0, 400)) timeouts.clear(handle);

// Timeouts that are pending keep the process alive, and no others do.
process.once("exit", () => {
  const which = `${Math.min(...idle)} to ${Math.max(...idle)}`;
  console.log(`${idle.length} connections timed out, ${which}; ${timeouts.size} timers left`);
});
