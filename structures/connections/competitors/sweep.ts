import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { sweepOver } from "../parts/sweeping.ts";

/**
 * The oracle: the time of each connection's last message in an array, and a scan over all of it each second.
 *
 * Promise: never early; up to a second late.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message reads the clock and stores it. Each second a scan looks at every place that was used.
 * Memory: 16 bytes for each place that was used.
 * Limits: a scan is one pause as long as the highest place that was used.
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
  watch: (setup) => onceCaughtUp(setup, "messages", (inner) => sweepOver(inner, PERIOD_MS)),
} satisfies ConnectionsCompetitor;

/** Between two scans: the manual's second. */
const PERIOD_MS = 1000;
