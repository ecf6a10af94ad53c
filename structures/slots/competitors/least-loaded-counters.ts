import { countersOnly, LeastLoadedSearch } from "../parts/counters.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/**
 * The slot with fewest clients, found by looking at the shared counters of all.
 *
 * Promise: filling keeps all slots within one client for each worker of each other. A lone worker keeps them within one
 *   client in churn too; for more nothing is promised there.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: a plain load for every slot and one Atomics.add to take; one Atomics.sub to give.
 * Memory: a word per slot.
 * Limits: O(slots). Between look and count others may fill the slot, which then has too many until a client of it leaves.
 *   The counters share lines, for the search's sake. The clients of a worker that dies stay counted.
 * Bet: obviously right with one worker, and how wrong it gets with many is too little to notice.
 * Source: greedy list scheduling (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969), with equal jobs.
 *
 * parts/counters.ts lays out the bytes.
 */
export default {
  summary: "the least loaded of all slots by shared counters, then one Atomics.add",
  source: 'greedy list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies" (1969)',
  variantOf: "least-loaded-counters-claimed",
  progress: "wait-free",
  /**
   * Counters only grow in filling. Let m be the least load now and c a slot with m + k. The worker that brought c above
   * m had seen it least, hence at m or less. At more it would have seen all slots there, including m's. No worker does
   * that twice, because it sees what it has added to c itself: k workers did it.
   */
  spreadWhenFilling: (workers) => workers,
  /**
   * In churn a search is no snapshot. A hole can be filled before the search gets there, and the next one given where
   * it has been. The slot that is then filled too far stays so for as long as its clients do, and others may join it.
   */
  spreadUnderChurn: (workers) => (workers === 1 ? 1 : Number.POSITIVE_INFINITY),
  readsLoads: true,
  ...countersOnly,

  attach(memory, slots, worker) {
    const found = new LeastLoadedSearch(memory, slots, staggeredStart(slots, worker));
    return {
      take() {
        found.search();
        Atomics.add(memory, found.slot, 1);
        return found.slot;
      },
      give(slot) {
        Atomics.sub(memory, slot, 1);
      },
    };
  },
} satisfies SlotsCompetitor;
