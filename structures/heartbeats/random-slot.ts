import { Random } from "../shared/sfc32.ts";
import { assertSchedule, type HeartbeatCompetitor } from "./heartbeats.contract.ts";
import { SlotBook } from "./heartbeats.slots.ts";

/**
 * Each client draws one second of the interval when it connects and keeps it.
 *
 * Promise: every heartbeat exactly one interval after the last; on average as many in each second as in any other.
 * Progress: wait-free.
 * Threads: one.
 * Cost: O(1) for every call.
 * Memory: one number per client.
 * Limits: a second's messages scatter as a Poisson variable does, by the root of their mean, for ever: nothing evens
 *   out what the draw left uneven.
 * Bet: needs no knowledge of the fleet, and churn can not make it worse; that is worth the scatter.
 * Source: the heartbeat-smoothing document, "random slot"; Prometheus places scrapes so by hash (scrape/target.go).
 */
export default {
  summary: "a random second of the interval for each client, kept while it is connected",
  source: "the heartbeat-smoothing document; Prometheus scrape/target.go",
  progress: "wait-free",
  deviation: 0,
  spread: Number.POSITIVE_INFINITY,

  create(interval, seed) {
    assertSchedule(interval, seed);
    const book = new SlotBook(interval);
    const random = new Random(seed);
    return {
      connect(client, now) {
        book.assertAbsent(client);
        return book.assign(client, random.below(interval), now);
      },
      beat: (client, now) => book.next(client, now),
      disconnect(client) {
        book.release(client);
      },
    };
  },
} satisfies HeartbeatCompetitor;
