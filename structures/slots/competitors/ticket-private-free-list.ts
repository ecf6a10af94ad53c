import { foldAt } from "../../pick/parts/rotation.ts";
import { FreeSlots } from "../parts/free-slots.ts";
import { drawTicket, ticketsOnly } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/**
 * The slots in turn by a shared counter, after any slots that this worker's own clients have given back.
 *
 * Promise: filling and churn keep all slots within one client of each other.
 * Progress: wait-free but for the fold of the counter, which is lock-free, and for an array that grows.
 * Threads: any worker that attached.
 * Cost: a pop to take where the worker has a slot back; one Atomics.add and one integer remainder where it has none. A
 *   push to give, and a draw where it has other slots back.
 * Memory: one word; privately 16 bytes, and a number for each slot given back and not taken again.
 * Limits: the promise is about clients that are replaced at the worker they left. Where clients come back to another
 *   worker, this one keeps their slots for newcomers of its own. The tickets that the others draw instead make the
 *   slots uneven. A fleet that shrinks stays as uneven as its leavers were, and filling up again takes any slot given
 *   back and not the emptiest. A client that is replaced at once, when it has timed out, is followed by one whose first
 *   heartbeat is a whole interval off. The list of a worker that dies goes with it: the slots on it stay as many
 *   clients short.
 * Bet: under churn a client that leaves makes exactly the room that the next one needs. No worker has to look at loads,
 *   and nothing need be shared.
 * Source: free lists with a private cache for each thread, as memory allocators have them: Bonwick & Adams, "Magazines
 *   and Vmem" (2001).
 *
 * parts/tickets.ts lays out the bytes.
 */
export default {
  summary: "a private list of slots given back, else one shared Atomics.add ticket",
  source: 'per-thread free lists: Bonwick & Adams, "Magazines and Vmem" (2001)',
  progress: "lock-free",
  spreadWhenFilling: () => 1,
  /**
   * In churn a worker that takes has just given, so its list is never empty then and no ticket is drawn. At rest the
   * clients are where filling put them.
   */
  spreadUnderChurn: () => 1,
  readsLoads: false,
  ...ticketsOnly,

  attach(memory, slots, worker) {
    const fold = foldAt(slots);
    const free = new FreeSlots(worker.seed);
    let reused = 0;
    return {
      take() {
        const slot = free.take();
        if (slot === undefined) return drawTicket(memory, fold) % slots;
        reused++;
        return slot;
      },
      give(slot) {
        free.give(slot);
      },
      counters: () => ({ reused }),
    };
  },
} satisfies SlotsCompetitor;
