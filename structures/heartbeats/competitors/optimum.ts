import { checkedSlots, type HeartbeatCompetitor, RESOLUTION } from "../heartbeats.contract.ts";
import { SlotBook } from "../parts/roster.ts";

/**
 * The optimum for the connected clients: the least loaded slot at the connect. At every heartbeat it is chosen again if
 * the client's own slot has two clients more, however far away it is.
 *
 * Promise: no two slots differ by more than one client while the fleet grows or replaces at once the clients that
 *   leave. The same holds from an interval after the last of any other departures. A heartbeat of a client that is
 *   moved comes up to a whole interval early.
 * Progress: wait-free.
 * Threads: one.
 * Cost: connect, and a beat that moves, O(slots); other beats O(1).
 * Memory: 4 to 6 bytes per client and per slot.
 * Limits: breaks the one rule that the source keeps to: to stay as close to the interval as possible.
 * Bet: the yardstick: what a scheduler loses against it is what keeping the interval costs.
 * Source: greedy list scheduling (Graham, 1969), with jobs that may move.
 *
 * Why an interval is enough: a move never makes the least load smaller, and never fills a slot to more than one above
 * the least. So a slot with two more than the least had them when its clients last beat; and then they would have moved.
 */
export default {
  summary: "the least loaded slot, chosen anew at every heartbeat however far it is",
  source: 'greedy list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies" (1969)',
  progress: "wait-free",
  resolution: RESOLUTION,
  deviation: (interval) => ({ earlier: interval - 1, later: 0 }),
  spread: 1,
  spreadOfSurvivors: 1,

  create(interval, seed, askedSlots) {
    const slots = checkedSlots(interval, seed, askedSlots);
    const book = new SlotBook(interval, slots);
    const clientsIn = new Int32Array(slots);
    /** The lowest of the least loaded slots. */
    let least = 0;
    const enter = () => {
      const slot = least;
      clientsIn[slot]!++;
      least = leastLoaded(clientsIn);
      return slot;
    };
    const leave = (slot: number) => {
      const fewer = --clientsIn[slot]! - clientsIn[least]!;
      if (fewer < 0 || (fewer === 0 && slot < least)) least = slot;
    };
    return {
      connect(client, now) {
        book.expect(client);
        return book.assign(client, enter(), now);
      },
      beat(client, now) {
        const own = book.slotOf(client);
        if (clientsIn[own]! < clientsIn[least]! + 2) return book.next(client, now);
        leave(own);
        // The next time of the slot, even if that is soon: later ones would leave it short until then.
        return book.assign(client, enter(), now + 1);
      },
      disconnect(client) {
        leave(book.release(client));
      },
    };
  },
} satisfies HeartbeatCompetitor;

/**
 * Of the least loaded slots the lowest. Not the first in turn. That would bring every reconnecting client's next
 * heartbeat forward, and the fleet would send more than one message per client and interval.
 */
function leastLoaded(clientsIn: Int32Array): number {
  let least = 0;
  for (let slot = 1; slot < clientsIn.length; slot++) {
    if (clientsIn[slot]! < clientsIn[least]!) least = slot;
  }
  return least;
}
