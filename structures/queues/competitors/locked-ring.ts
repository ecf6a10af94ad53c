import { behindFutex } from "../parts/guarded.ts";
import { lockedRing } from "../parts/locked-ring.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring behind one mutex, for any number of producers and consumers.
 *
 * Promise: all messages in one order; full and empty are exact.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: an uncontended lock and unlock, and a few plain accesses within; contended, a trip through the kernel.
 * Memory: `longest` words for each message, and two strides.
 * Limits: a worker that dies inside stops all others for good. One that is terminated as it is woken for the lock may
 *   leave the others asleep on the free lock.
 * Bet: the plainest queue there is; a rival has to be faster where several threads meet.
 * Source: the bounded buffer of Dijkstra, "Cooperating sequential processes" (1965), and of every textbook since.
 *
 *     see parts/guarded.ts and parts/locked-ring.ts
 */
export default {
  ...behindFutex(lockedRing()),
  summary: "ring of messages behind a three-state futex mutex",
  source: 'bounded buffer (Dijkstra, "Cooperating sequential processes", 1965)',
  messages: "words",
  exactFull: true,
} satisfies QueuesCompetitor;
