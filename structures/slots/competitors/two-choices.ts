import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { countersOnly } from "../parts/counters.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/**
 * The less loaded of two slots chosen at random, by shared counters.
 *
 * Promise: clients are counted exactly. A take gets the one of two different slots, if there are two, that had fewer
 *   when it looked, every pair being as likely.
 * Progress: wait-free.
 * Threads: any worker that attached.
 * Cost: two draws, two plain loads of lines that other workers write, one Atomics.add; one Atomics.sub to give.
 * Memory: a word per slot; 16 bytes private to each worker.
 * Limits: bounds nothing for certain: the fullest slot is ahead of the mean by a few clients, whatever their number.
 *   The counters stand 32 to a stride, so that workers that use different slots often write the same line. Nothing here
 *   needs them so close, but apart it would also differ from the searches in its bytes. The clients of a worker that
 *   dies stay counted.
 * Bet: nearly as even as least loaded, in filling and in churn, without a search and with hardly any contention.
 * Source: M. Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing" (2001). For many clients per slot,
 *   Berenbrink, Czumaj, Steger & Vöcking, "Balanced Allocations: The Heavily Loaded Case" (2006).
 *
 * parts/counters.ts lays out the bytes.
 */
export default {
  summary: "the less loaded of two random slots by shared counters",
  source: "Mitzenmacher 2001; Berenbrink, Czumaj, Steger & Vöcking 2006",
  progress: "wait-free",
  spreadWhenFilling: () => Number.POSITIVE_INFINITY,
  spreadUnderChurn: () => Number.POSITIVE_INFINITY,
  readsLoads: true,
  ...countersOnly,

  attach(memory, slots, worker) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, worker.seed);
    /** Slots to draw the second from: all but the first, which for a single slot is none. */
    const others = Math.max(1, slots - 1);
    return {
      take() {
        const first = bounded(nextSfc32(state, 0), slots);
        // The slots after the first, round the ring: different from it, and each as likely as the next. A single slot
        // comes round to itself.
        let second = first + 1 + bounded(nextSfc32(state, 0), others);
        if (second >= slots) second -= slots;
        // Plain loads, because any look at another's counter is out of date before the client is counted. A stale one
        // can only mistake the fuller for the emptier, which a random slot does half of the time.
        const chosen = memory[second]! < memory[first]! ? second : first;
        Atomics.add(memory, chosen, 1);
        return chosen;
      },
      give(slot) {
        Atomics.sub(memory, slot, 1);
      },
    };
  },
} satisfies SlotsCompetitor;
