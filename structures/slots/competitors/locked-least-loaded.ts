import futex from "../../locks/competitors/futex-three-state.ts";
import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { LoadBuckets } from "../parts/buckets.ts";
import { assertSetup, type SlotsCompetitor } from "../slots.contract.ts";

/**
 * The slot with fewest clients, from slots kept in the order of their loads behind a mutex.
 *
 * Promise: every take gets a least loaded slot; filling and churn keep all slots within one client of each other.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: an uncontended lock and unlock, and a dozen accesses within, whatever the number of slots; contended, a trip
 *   through the kernel. The same to give, with an exchange or two.
 * Memory: six words per slot, and a stride for the lock.
 * Limits: a worker that dies inside stops all takes and gives; one that is terminated as it is woken may, until its
 *   seat is freed. The clients of one that dies elsewhere stay counted.
 * Bet: the most even there can be; a rival has to be faster and nearly as even.
 * Source: greedy list scheduling (Graham 1969). Buckets by load as in O(1) least-frequently-used caches (Shah, Mitra &
 *   Matani, "An O(1) algorithm for implementing the LFU cache eviction scheme", 2010).
 *
 *     word 0         lock      see locks/futex-three-state
 *     words 1 .. 31  dead, so that a waiter for the lock does not take the buckets' first line from its holder
 *     words 32 ..    buckets   see parts/buckets.ts; read and written plainly by the worker that holds the lock
 */
export default {
  summary: "buckets of slots by load behind a three-state futex mutex",
  source: "greedy list scheduling (Graham 1969); O(1) LFU buckets (Shah, Mitra & Matani 2010)",
  progress: "blocking",
  sleepWord: futex.sleepWord,
  spreadWhenFilling: () => 1,
  /**
   * Let L be the mean of all clients rounded up, and P their number at rest. While clients are away there are fewer
   * than P, hence a slot below L, and a take lifts such a slot: none gets above L. Let E be what slots lack beyond one
   * client below L, summed. A give adds at most 1 to E; a take goes to the emptiest slot and takes 1 off unless E is 0.
   * So E is never more than the clients away, and 0 at rest.
   */
  spreadUnderChurn: () => 1,
  readsLoads: true,

  words(slots, workers) {
    assertSetup(slots, workers);
    return BUCKETS + wholeStrides(LoadBuckets.words(slots));
  },

  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    futex.format(memory.subarray(0, BUCKETS));
    LoadBuckets.format(memory.subarray(BUCKETS), slots, seed % slots);
  },

  attach(memory, slots) {
    const mutex = futex.attach(memory.subarray(0, BUCKETS));
    const buckets = new LoadBuckets(memory.subarray(BUCKETS), slots);
    return {
      // The plain accesses within are never stale: only the lock's holder makes any, and taking the lock orders them
      // after those of the holder before.
      take() {
        mutex.lock();
        const slot = buckets.takeLeast();
        mutex.unlock();
        return slot;
      },
      give(slot) {
        mutex.lock();
        try {
          buckets.give(slot);
        } finally {
          mutex.unlock();
        }
      },
      counters: () => ({ parks: mutex.parks }),
    };
  },

  inspect(memory: Region, slots) {
    const buckets = new LoadBuckets(memory.subarray(BUCKETS), slots);
    return { loads: Array.from({ length: slots }, (_, slot) => buckets.loadOf(slot)) };
  },
} satisfies SlotsCompetitor;

/** First word of the buckets. */
const BUCKETS = STRIDE_WORDS;
