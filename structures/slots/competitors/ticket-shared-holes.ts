import { foldAt } from "../../pick/parts/rotation.ts";
import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { drawTicket, formatTickets, ticketsDrawn } from "../parts/tickets.ts";
import { assertSetup, type SlotsCompetitor, staggeredStart } from "../slots.contract.ts";

/**
 * The slots in turn by a shared counter, after any slots that any worker's clients have given back. These are counted
 * slot by slot.
 *
 * Promise: filling and churn keep all slots within one client of each other.
 * Progress: lock-free.
 * Threads: any worker that attached.
 * Cost: two Atomics.add to give. To take where slots were given back costs two compareExchange. They follow a search
 *   for one, which begins where the worker gave last, or else after where it took last. Elsewhere: a load, one
 *   Atomics.add and one integer remainder.
 * Memory: a stride each for the ticket and for the number of holes, then a word per slot.
 * Limits: gives and takes of all workers meet in one word. A hole that is far from where the search begins costs a load
 *   for each slot on the way. Where clients stay away, the remaining holes are the ones that searches reached last,
 *   whatever the loads. A worker takes the slot it gave last first, unless another was faster. The words of holes stand
 *   32 to a stride, so that workers whose slots are neighbours write the same line. A worker that dies between its
 *   claim and its hole leaves a hole that no take may claim. One that dies between its hole and the count of it leaves
 *   another; the slot has a client less for good.
 * Bet: what two atomic counters can do is as even as least loaded behind a lock, and cheaper under contention.
 * Source: a counting semaphore of free places (Dijkstra 1965) over ticketed ones.
 *
 *     word 0           next     see parts/tickets.ts
 *     word 32          vacant   holes that no take has claimed yet                    every worker, atomically
 *     words 64 ..      holes    of each slot, how often it is given back and free     every worker, atomically
 *     all others dead, so that the three do not share lines
 */
export default {
  summary: "slots given back, found by shared counters, else one shared Atomics.add ticket",
  source: "counting semaphore (Dijkstra 1965) over tickets",
  progress: "lock-free",
  spreadWhenFilling: () => 1,
  /**
   * In churn a worker that is about to take has given once more than it has claimed, and no worker less often. `vacant`
   * is therefore 1 or more whenever a take looks: no ticket is drawn and at rest no hole is left. The clients are where
   * filling put them.
   */
  spreadUnderChurn: () => 1,
  readsLoads: false,

  words(slots, workers) {
    assertSetup(slots, workers);
    return HOLES + wholeStrides(slots);
  },

  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    formatTickets(memory, slots, seed);
    Atomics.store(memory, VACANT, 0);
    for (let slot = 0; slot < slots; slot++) Atomics.store(memory, HOLES + slot, 0);
  },

  attach(memory, slots, worker) {
    const fold = foldAt(slots);
    let reused = 0;
    /** Where the next search begins. */
    let at = staggeredStart(slots, worker);

    // A give counts its hole before it counts it vacant, and a take claims a vacant one before it looks for the hole.
    // So there are at least as many holes as takes that look for one. A search that comes round without one has been
    // overtaken by others that each got theirs.
    //
    // The next search begins one slot further, so that takes go round the slots. If it stayed, takes would fill one
    // slot entirely before any other.
    function takeHole(): number {
      for (;;) {
        const slot = at;
        at = slot + 1 === slots ? 0 : slot + 1;
        let holes = Atomics.load(memory, HOLES + slot);
        while (holes > 0) {
          const seen = Atomics.compareExchange(memory, HOLES + slot, holes, holes - 1);
          if (seen === holes) return slot;
          holes = seen;
        }
      }
    }

    return {
      take() {
        let vacant = Atomics.load(memory, VACANT);
        while (vacant > 0) {
          const seen = Atomics.compareExchange(memory, VACANT, vacant, vacant - 1);
          if (seen === vacant) {
            reused++;
            return takeHole();
          }
          vacant = seen;
        }
        return drawTicket(memory, fold) % slots;
      },
      give(slot) {
        Atomics.add(memory, HOLES + slot, 1);
        Atomics.add(memory, VACANT, 1);
        at = slot;
      },
      counters: () => ({ reused }),
    };
  },

  inspect(memory, slots, _workers, seed) {
    const holes = Array.from({ length: slots }, (_, slot) => Atomics.load(memory, HOLES + slot));
    return {
      tickets: ticketsDrawn(memory, slots, seed),
      holes: holes.reduce((sum, count) => sum + count, 0),
      vacant: Atomics.load(memory, VACANT),
    };
  },
} satisfies SlotsCompetitor;

/** First words of their parts. */
export const VACANT = STRIDE_WORDS;
const HOLES = 2 * STRIDE_WORDS;
