import { assertSchedule, type HeartbeatCompetitor } from "./heartbeats.contract.ts";
import { SlotBook } from "./heartbeats.slots.ts";

/**
 * Gives each client the second of the interval that has fewest clients, found by looking at all of them.
 *
 * Promise: every heartbeat exactly one interval after the last; while the fleet only grows, or replaces at once
 *   whoever leaves, no two seconds differ by more than one client, and no placement can do better.
 * Progress: wait-free.
 * Threads: one.
 * Cost: connect O(interval); beat and disconnect O(1).
 * Memory: one number per client and one per second of the interval.
 * Limits: clients that leave and are not replaced leave holes that only later arrivals fill.
 * Bet: the optimum for the clients that are there; what a scheduler loses against it is what its shortcut costs.
 * Source: greedy list scheduling (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), with equal jobs.
 */
export default {
  summary: "the least loaded second of the interval, by looking at all of them",
  source: 'greedy list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies" (1969)',
  progress: "wait-free",
  deviation: 0,
  spread: 1,

  create(interval, seed) {
    assertSchedule(interval, seed);
    const book = new SlotBook(interval);
    const clientsIn = new Int32Array(interval);
    return {
      connect(client, now) {
        book.assertAbsent(client);
        const slot = leastLoaded(clientsIn);
        clientsIn[slot]!++;
        return book.assign(client, slot, now);
      },
      beat: (client, now) => book.next(client, now),
      disconnect(client) {
        clientsIn[book.release(client)]!--;
      },
    };
  },
} satisfies HeartbeatCompetitor;

/**
 * Of the least loaded slots the lowest. Not the first to come round: that would bring every reconnecting client's next
 * heartbeat forward, and the fleet would send more messages than one per client and interval.
 */
function leastLoaded(clientsIn: Int32Array): number {
  let least = 0;
  for (let slot = 1; slot < clientsIn.length; slot++) {
    if (clientsIn[slot]! < clientsIn[least]!) least = slot;
  }
  return least;
}
