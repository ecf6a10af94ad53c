import fourAryHeap from "../../timers/competitors/four-ary-heap.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { watchWithTimeouts } from "../parts/over-timeouts.ts";

/**
 * A timeout for each connection on a four-ary heap of typed arrays, moved by every message.
 *
 * Promise: never early; late by the millisecond that a tick is, and what the event loop adds.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message finds its timer by index and lets it sink or rise, in O(log n) steps. One native timer is armed for
 *   the first.
 * Memory: typed arrays for its capacity, however many are connected.
 * Limits: the capacity is fixed.
 * Bet: with one timeout for all, a renewed timer sinks past few others, and it costs no more than the wheel.
 * Source: Go's runtime timers; libev.
 */
export default {
  summary: "a Timeouts over four-ary-heap, refreshed by each message",
  source: "Go runtime/time.go; libev",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: () => 2,
  watch: (setup) => onceCaughtUp(setup, "messages", (inner) => watchWithTimeouts(fourAryHeap, inner)),
} satisfies ConnectionsCompetitor;
