import { countersOnly, LeastLoadedSearch } from "../parts/counters.ts";
import { type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/**
 * The slot with fewest clients, found by looking at the shared counters of all, and taken only if it still has as few.
 *
 * Promise: filling keeps all slots within one client of each other. A lone worker keeps them so in churn too; for more
 *   nothing is promised there.
 * Progress: lock-free: a slot is lost only to another worker's take, or to its give.
 * Threads: any worker that attached.
 * Cost: a plain load for every slot and one compareExchange to take, all again where that fails; one Atomics.sub to give.
 * Memory: a word per slot.
 * Limits: O(slots), and workers that search at the same time find the same slot when few are least loaded. The counters
 *   share lines, for the search's sake. The clients of a worker that dies stay counted.
 * Bet: claiming what was seen buys an exact filling for little more than not claiming it.
 * Source: greedy list scheduling (Graham 1969) with an optimistic claim (compare-and-swap).
 *
 * parts/counters.ts lays out the bytes.
 */
export default {
  summary: "the least loaded of all slots by shared counters, claimed by compareExchange",
  source: "greedy list scheduling (Graham 1969), claimed by compare-and-swap",
  progress: "lock-free",
  /**
   * Counters only grow in filling. A slot that is claimed at the load at which it was seen has that load, and the
   * others, seen with as much, have no less. So it is a least loaded one when it is taken.
   */
  spreadWhenFilling: () => 1,
  /**
   * In churn a search is no snapshot, and the claim says nothing of other slots: a hole may open where the search has
   * been. The slot that is then filled too far stays so for as long as its clients do.
   */
  spreadUnderChurn: (workers) => (workers === 1 ? 1 : Number.POSITIVE_INFINITY),
  readsLoads: true,
  ...countersOnly,

  attach(memory, slots, worker) {
    const found = new LeastLoadedSearch(memory, slots, staggeredStart(slots, worker));
    let casFailures = 0;
    return {
      take() {
        found.search();
        while (Atomics.compareExchange(memory, found.slot, found.load, found.load + 1) !== found.load) {
          casFailures++;
          found.search();
        }
        return found.slot;
      },
      give(slot) {
        Atomics.sub(memory, slot, 1);
      },
      counters: () => ({ casFailures }),
    };
  },
} satisfies SlotsCompetitor;
