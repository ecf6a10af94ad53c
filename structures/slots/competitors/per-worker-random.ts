import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { nothingShared } from "../parts/private.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/**
 * A random slot, by a generator of its own for every worker; nothing is shared.
 *
 * Promise: every take is uniform to within 2^-32 per slot, and workers draw from different streams.
 * Progress: wait-free.
 * Threads: each worker uses the generator it attached.
 * Cost: the generator and a multiplication to take; nothing to give.
 * Memory: 16 bytes private to each worker.
 * Limits: the clients of two slots differ by several times the root of their number, in filling and in churn. A worker
 *   that dies leaves nothing behind: its clients were never counted.
 * Bet: the lower bound of evenness: a competitor that is no more even than this has done nothing for its cost.
 * Source: the heartbeat document's "random slot"; Prometheus spreads its scrapes by a hash (scrape/target.go, offset).
 */
export default {
  summary: "a random slot by a private sfc32 per worker, nothing shared",
  source: "the heartbeat document's random slot; Prometheus scrape offsets",
  progress: "wait-free",
  spreadWhenFilling: () => Number.POSITIVE_INFINITY,
  spreadUnderChurn: () => Number.POSITIVE_INFINITY,
  readsLoads: false,
  ...nothingShared,

  attach(_memory, slots, worker) {
    const state = new Int32Array(SFC32_WORDS);
    seedSfc32(state, 0, worker.seed);
    return {
      take: () => bounded(nextSfc32(state, 0), slots),
      give() {},
    };
  },
} satisfies SlotsCompetitor;
