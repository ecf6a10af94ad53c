import { FreeSlots } from "../parts/free-slots.ts";
import { ticketsOnly } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";
import leasedTickets from "./leased-tickets-16.ts";

/**
 * Sixteen consecutive turns at once from a shared counter for each worker, but first the slots that this worker's own
 * clients have given back.
 *
 * Promise: filling and churn keep all slots within one client for each worker of each other.
 * Progress: as leased-tickets-16, and an array that grows.
 * Threads: any worker that attached.
 * Cost: a pop to take where the worker has a slot back, else the cost of leased-tickets-16. A push to give, and a draw
 *   where it has other slots back.
 * Memory: one word; privately two numbers, 16 bytes, and a number for each slot given back and not taken again.
 * Limits: the limits of ticket-private-free-list and of leased-tickets-16, including what a dead worker leaves behind.
 * Bet: neither new nor returning clients meet another worker's line, for a spread that no server would notice:
 *   the cheapest of all that stay even.
 * Source: per-thread free lists refilled by the batch: Bonwick & Adams, "Magazines and Vmem" (2001).
 *
 * parts/tickets.ts lays out the bytes.
 */
export default {
  summary: "a private list of slots given back, else 16 tickets per shared Atomics.add",
  source: 'per-thread free lists refilled by the batch: Bonwick & Adams, "Magazines and Vmem" (2001)',
  variantOf: "ticket-private-free-list",
  progress: "lock-free",
  spreadWhenFilling: leasedTickets.spreadWhenFilling,
  /** As in ticket-private-free-list churn draws no ticket, so that the clients stay where filling put them. */
  spreadUnderChurn: leasedTickets.spreadWhenFilling,
  readsLoads: false,
  ...ticketsOnly,

  attach(memory, slots, worker) {
    const leases = leasedTickets.attach(memory, slots, worker);
    const free = new FreeSlots(worker.seed);
    let reused = 0;
    return {
      take() {
        const slot = free.take();
        if (slot === undefined) return leases.take();
        reused++;
        return slot;
      },
      give(slot) {
        free.give(slot);
      },
      counters: () => ({ ...leases.counters(), reused }),
    };
  },
} satisfies SlotsCompetitor;
