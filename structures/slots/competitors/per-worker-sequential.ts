import { beginningOf } from "../../shared/worker-identity.ts";
import { nothingShared } from "../parts/private.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/**
 * The slots in turn, each worker by a counter of its own; nothing is shared.
 *
 * Promise: filling keeps all slots within one client for each worker of each other. Nothing once clients leave.
 * Progress: wait-free.
 * Threads: each worker uses the counter it attached.
 * Cost: an increment and a compare to take; nothing to give.
 * Memory: one number private to each worker.
 * Limits: workers at different rates fill different parts of the ring last, and where these overlap the slots have a
 *   client more for each. They begin as far apart as they can, which makes that rare while they are equally fast.
 *   A worker that dies leaves nothing behind: its turn goes with it.
 * Bet: as even in practice as a shared ticket, at no cost that workers have in common.
 * Source: the heartbeat document's "sequential" placement, once for each worker.
 */
export default {
  summary: "slots in turn by a private counter per worker, nothing shared",
  source: "the heartbeat document's sequential placement",
  progress: "wait-free",
  /** Each worker's own clients differ by 1 at most. */
  spreadWhenFilling: (workers) => workers,
  spreadUnderChurn: () => Number.POSITIVE_INFINITY,
  readsLoads: false,
  ...nothingShared,

  attach(_memory, slots, worker) {
    let next = beginningOf(worker, slots, staggeredStart(slots, worker));
    return {
      take() {
        const slot = next++;
        if (next === slots) next = 0;
        return slot;
      },
      give() {},
    };
  },
} satisfies SlotsCompetitor;
