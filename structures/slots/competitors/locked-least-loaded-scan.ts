import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { assertSetup, type SlotsCompetitor } from "../slots.contract.ts";

/**
 * The oracle: a count of clients for each slot, looked through for the lowest, one worker at a time.
 *
 * Promise: every take gets a least loaded slot; filling and churn keep all slots within one client of each other.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: a lock and an unlock, and within them a plain load for every slot to take; one increment or decrement besides.
 * Memory: a word per slot, and a stride for the lock.
 * Limits: O(slots), during which every other worker waits. Of equally loaded slots the lowest is taken, so that the
 *   first of the interval are a client ahead. A worker that dies inside stops all takes and gives; one that is
 *   terminated as it is woken may, until its seat is freed. The clients of one that dies elsewhere stay counted.
 * Bet: none but that it is right: so plain that a competitor with the same promise and less evenness is wrong.
 * Source: greedy list scheduling (Graham 1969), word for word.
 *
 *     word 0         lock      see locks/futex-three-state
 *     words 1 .. 31  dead, so that a waiter for the lock does not take the counts' first line from its holder
 *     words 32 ..    counts    clients of each slot; read and written plainly by the worker that holds the lock
 */
export default {
  summary: "oracle: the first least loaded slot, by a scan of plain counts under a mutex",
  source: "greedy list scheduling (Graham 1969)",
  variantOf: "locked-least-loaded",
  progress: "blocking",
  sleepWord: futex.sleepWord,
  spreadWhenFilling: () => 1,
  /** As for locked-least-loaded, which takes a least loaded slot too and says why. */
  spreadUnderChurn: () => 1,
  readsLoads: true,

  words(slots, workers) {
    assertSetup(slots, workers);
    return COUNTS + wholeStrides(slots);
  },

  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    futex.format(memory.subarray(0, COUNTS));
    memory.fill(0, COUNTS, COUNTS + slots);
  },

  attach(memory, slots) {
    const mutex = futex.attach(memory.subarray(0, COUNTS));
    const counts = memory.subarray(COUNTS, COUNTS + slots);
    return {
      // The plain accesses within are never stale: only the lock's holder makes any, and taking the lock orders them
      // after those of the holder before.
      take() {
        mutex.lock();
        let least = 0;
        for (let slot = 1; slot < slots; slot++) if (counts[slot]! < counts[least]!) least = slot;
        counts[least]!++;
        mutex.unlock();
        return least;
      },
      give(slot) {
        mutex.lock();
        counts[slot]!--;
        mutex.unlock();
      },
      counters: () => ({ parks: mutex.parks }),
    };
  },

  inspect: (memory, slots) => ({ loads: [...memory.subarray(COUNTS, COUNTS + slots)] }),
} satisfies SlotsCompetitor;

/** First word of the counts. */
const COUNTS = STRIDE_WORDS;
