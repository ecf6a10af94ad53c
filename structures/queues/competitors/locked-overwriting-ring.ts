import { behindFutex } from "../parts/guarded.ts";
import { lockedRing } from "../parts/locked-ring.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring behind one mutex whose producers never wait: the oldest message gives way where it is full.
 *
 * Promise: the newest messages, as many as it has places, in one order.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: that of locked-ring.
 * Memory: that of locked-ring.
 * Limits: those of locked-ring. Nobody is told of a message that gave way.
 * Bet: for samples and states, of which a late consumer wants the newest.
 * Source: the overwrite mode of the ring buffer of Linux' tracing, Documentation/trace/ring-buffer-design.rst.
 *
 *     see parts/guarded.ts and parts/locked-ring.ts
 */
export default {
  ...behindFutex(lockedRing({ dropsOldest: true })),
  summary: "ring of messages behind a three-state futex mutex, where the oldest give way to new ones",
  source: "Linux, Documentation/trace/ring-buffer-design.rst, overwrite mode",
  messages: "words",
  full: "drops-oldest",
  exactFull: true,
} satisfies QueuesCompetitor;
