import { behindTwoLocks, PLACES } from "../parts/two-locks.ts";
import type { QueueSetup, QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring with one mutex for all producers and another for all consumers.
 *
 * Promise: all messages in one order; full and empty are exact.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: an uncontended lock and unlock, the copy, an atomic load and an atomic store. Producers and consumers never wait
 *   for each other.
 * Memory: `longest` words for each message, and four strides.
 * Limits: a worker that dies inside stops all others of its side for good. One that is terminated as it is woken for the
 *   lock may leave the others asleep on the free lock.
 * Bet: a lock for each side costs less than one where both sides are busy.
 * Source: Michael & Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms" (PODC 1996),
 *   the two-lock queue, with a ring in place of its list.
 *
 *     as parts/two-locks.ts; message n is at n modulo the capacity
 */
const placeOf = (_memory: unknown, { capacity, longest }: QueueSetup, message: number) =>
  PLACES + (message & (capacity - 1)) * longest;

export default {
  ...behindTwoLocks({
    words: ({ capacity, longest }) => capacity * longest,
    format() {},
    toWrite: placeOf,
    toRead: placeOf,
  }),
  summary: "ring with a three-state futex mutex for each side",
  source: "two-lock queue (Michael & Scott 1996)",
} satisfies QueuesCompetitor;
