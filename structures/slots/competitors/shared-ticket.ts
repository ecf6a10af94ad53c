import { foldAt } from "../../pick/parts/rotation.ts";
import { drawTicket, ticketsOnly } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/**
 * The slots in turn, the turn being one counter that all workers share.
 *
 * Promise: filling keeps all slots within one client of each other. Nothing once clients leave: a slot that is given
 *   back waits for its turn like all others.
 * Progress: wait-free but for the fold of the counter, which is lock-free and runs once in about 2^30 takes.
 * Threads: any worker that attached.
 * Cost: one Atomics.add and one integer remainder to take; nothing to give.
 * Memory: one word.
 * Limits: every take writes the same line. Under churn the slots become half as uneven as random ones, because
 *   departures are random and new clients are dealt evenly. Where workers' paces have the ratio of small whole numbers,
 *   such as two turns of one for each of another's, they become far more uneven than random. Each worker then always
 *   gets the same slots of the rotation. A worker that dies in a take leaves its slot one client short.
 * Bet: the cheapest that fills exactly; what it loses under churn is the price of not looking at loads.
 * Source: the heartbeat document's "sequential" placement, with a fetch-and-add (Herlihy & Shavit, ch. 5) as counter.
 *
 * parts/tickets.ts lays out the bytes.
 */
export default {
  summary: "slots in turn by one shared Atomics.add ticket",
  source: "the heartbeat document's sequential placement; fetch-and-add",
  progress: "lock-free",
  spreadWhenFilling: () => 1,
  spreadUnderChurn: () => Number.POSITIVE_INFINITY,
  readsLoads: false,
  ...ticketsOnly,

  attach(memory, slots) {
    const fold = foldAt(slots);
    return {
      take: () => drawTicket(memory, fold) % slots,
      give() {},
    };
  },
} satisfies SlotsCompetitor;
