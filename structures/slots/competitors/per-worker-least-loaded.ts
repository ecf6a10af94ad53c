import { allocateRegion } from "../../shared/layout.ts";
import { beginningOf } from "../../shared/worker-identity.ts";
import { LoadBuckets } from "../parts/buckets.ts";
import { nothingShared } from "../parts/private.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/**
 * The slot with fewest of this worker's own clients; nothing is shared.
 *
 * Promise: filling and churn keep all slots within one client for each worker of each other.
 * Progress: wait-free.
 * Threads: each worker uses the buckets it attached.
 * Cost: a dozen accesses to private memory to take, a few more to give, whatever the number of slots.
 * Memory: six words per slot, private to each worker.
 * Limits: no worker sees what the others lack. They begin filling as far apart as they can, so that the slots which have
 *   one client more do not pile up; churn forgets that. A worker that dies leaves nothing behind: its buckets go with it.
 * Bet: even per worker is even enough for the server, and no take has to wait for a line of another core.
 * Source: greedy list scheduling (Graham 1969), once for each worker; buckets as in locked-least-loaded.
 */
export default {
  summary: "private buckets of slots by load per worker, nothing shared",
  source: "greedy list scheduling (Graham 1969), once for each worker",
  progress: "wait-free",
  /** Each worker's own clients differ by 1 at most, in churn as well: locked-least-loaded says why. */
  spreadWhenFilling: (workers) => workers,
  spreadUnderChurn: (workers) => workers,
  readsLoads: true,
  ...nothingShared,

  attach(_memory, slots, worker) {
    const memory = allocateRegion(LoadBuckets.words(slots));
    const first = beginningOf(worker, slots, staggeredStart(slots, worker));
    LoadBuckets.format(memory, slots, first);
    const buckets = new LoadBuckets(memory, slots);
    return {
      take: () => buckets.takeLeast(),
      give: (slot) => buckets.give(slot),
    };
  },
} satisfies SlotsCompetitor;
