import objectHeapLazy from "../../timers/competitors/object-heap-lazy.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { watchWithTimeouts } from "../parts/over-timeouts.ts";

/**
 * A timeout for each connection on a heap of objects, moved by every message. The old node is marked and stays until
 * its time, and a new one is pushed.
 *
 * Promise: never early; late by the millisecond that a tick is, and what the event loop adds.
 * Progress: wait-free, but for the collector's pauses.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message makes a node and lets it rise. Each node, dead ones too, is once taken from the front in O(log n) steps.
 * Memory: a node for each message of the last timeout, not for each connection.
 * Limits: memory grows with the rate of messages.
 * Bet: the heap that the source document compared its wheel with, where a message does the same work to both. It costs
 *   the most memory of all.
 * Source: walkor/workerman src/Events/Select.php, as Timer::del and Timer::add for each message use it.
 */
export default {
  summary: "a Timeouts over object-heap-lazy, refreshed by each message",
  source: "walkor/workerman src/Events/Select.php",
  progress: "wait-free",
  variantOf: "object-heap-stamped",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: () => 2,
  watch: (setup) => onceCaughtUp(setup, "messages", (inner) => watchWithTimeouts(objectHeapLazy, inner)),
} satisfies ConnectionsCompetitor;
