import { checkedSlots, type HeartbeatCompetitor, RESOLUTION } from "../heartbeats.contract.ts";
import { SlotBook } from "../parts/roster.ts";
import { bucketsFor } from "./least-loaded.ts";

/**
 * The least loaded slot at the connect. At a heartbeat, the nearest slot within 15 s that has two clients fewer than
 * the client's own, if there is one.
 *
 * Promise: no two slots differ by more than one client while the fleet grows or replaces at once the clients that
 *   leave. No client is moved then, and every heartbeat comes exactly one interval after the last. Otherwise heartbeats
 *   come up to 15 s off, and slots within 15 s of each other come to differ by one client at most.
 * Progress: wait-free.
 * Threads: one.
 * Cost: connect and disconnect O(1); beat O(1) while the slots are even, else it looks at the slots within 15 s.
 * Memory: 4 to 6 bytes per client, and the buckets' words per slot (see slots/parts/buckets.ts).
 * Limits: evens out what lies close together. Where a whole part of the interval has emptied, a slope remains that
 *   rises by one client per 15 s.
 * Bet: departures without replacement are the one thing that placement cannot mend. Moving the survivors by no more
 *   than a fortieth of the interval mends most of it.
 * Source: first-order diffusion load balancing (Cybenko, "Dynamic Load Balancing for Distributed Memory
 *   Multiprocessors", 1989), one client at a time.
 */
export default {
  summary: "the least loaded slot, and survivors moved up to 15 s towards emptier ones",
  source: 'diffusion: Cybenko, "Dynamic Load Balancing for Distributed Memory Multiprocessors" (1989)',
  progress: "wait-free",
  resolution: RESOLUTION,
  deviation: (interval) => ({ earlier: mostMoved(interval), later: mostMoved(interval) }),
  spread: 1,
  spreadOfSurvivors: Number.POSITIVE_INFINITY,

  create(interval, seed, askedSlots) {
    const slots = checkedSlots(interval, seed, askedSlots);
    const book = new SlotBook(interval, slots);
    const buckets = bucketsFor(slots);
    const reach = Math.floor((mostMoved(interval) * slots) / interval);
    const slotAt = (own: number, distance: number) => (own + distance + slots) % slots;

    /** The nearest slot with fewer than `enough` clients, the later one of two; `own` if none is near. */
    const nearestBelow = (own: number, enough: number): number => {
      for (let distance = 1; distance <= reach; distance++) {
        const later = slotAt(own, distance);
        if (buckets.loadOf(later) < enough) return later;
        const earlier = slotAt(own, -distance);
        if (buckets.loadOf(earlier) < enough) return earlier;
      }
      return own;
    };

    return {
      connect(client, now) {
        book.expect(client);
        return book.assign(client, buckets.takeLeast(), now);
      },
      beat(client, now) {
        const own = book.slotOf(client);
        const enough = buckets.loadOf(own) - 1;
        const slot = buckets.least < enough ? nearestBelow(own, enough) : own;
        if (slot === own) return book.next(client, now);
        buckets.give(own);
        buckets.addTo(slot);
        return book.move(client, slot, now);
      },
      disconnect: (client) => buckets.give(book.release(client)),
    };
  },
} satisfies HeartbeatCompetitor;

/** 15 s, and less than half of a short interval, so that a client beats once in each. */
function mostMoved(interval: number): number {
  return Math.min(15, Math.floor((interval - 1) / 2));
}
