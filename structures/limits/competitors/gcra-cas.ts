import { STRIDE_WORDS } from "../../shared/layout.ts";
import { assertSetup, assertTokens, type LimitsCompetitor, type TokenBucket } from "../limits.contract.ts";
import { CLOCK_WORDS, longsAt, processClock } from "../parts/clock.ts";
import { afterTake, FULL_SINCE_EVER, waitMsOf } from "../parts/gcra.ts";
import { rateLossNs, scaleOf } from "../parts/scale.ts";

/**
 * One 64-bit word for all workers, by the generic cell rate algorithm: how much of the past is spent. A take moves it
 * on by one compare-exchange.
 *
 * Promise: the limit is exact: in every interleaving, with clocks that are read late, and after any time of rest. A
 *   token comes at most 5 ns late, and a 2^51st of the time since the bucket was full. Not fair: a worker may lose
 *   every compare-exchange to takes of others.
 * Progress: lock-free: a compare-exchange fails only where another take succeeded.
 * Threads: any worker that attached. A worker that is terminated at any access leaves nothing half done. What it lost
 *   is at most the take that it was in.
 * Cost: a load, a reading of the clock, and a compare-exchange; a take that is refused writes nothing. BigInts are
 *   allocated for the word and the ticks.
 * Memory: two strides: the word, and that of the clock.
 * Limits: capacity / perSecond up to MOST_FILL_S; clocks up to 146 years.
 * Bet: the clock and the BigInts cost more than sharing does, until many workers take at once.
 * Source: ITU-T I.371, generic cell rate algorithm. The Rust crate governor keeps it in one 64-bit word, too;
 *   throttled (Go) takes several tokens at once.
 *
 *     words 0 and 1   spent   every worker, atomically; an int64, see parts/gcra.ts
 *     then            clock   see parts/clock.ts
 */
export default {
  summary: "GCRA in one 64-bit word of all workers, moved on by compare-exchange",
  source: "ITU-T I.371; the Rust crate governor",
  progress: "lock-free",
  scope: "one",
  refill: "continuous",
  mostOver: () => 0,
  /** A tick, 2 ns at most, where the bucket was full and another where it is asked. */
  mostLateNs: (setup) => 5 + rateLossNs(setup),

  words(setup) {
    assertSetup(setup);
    return CLOCK + CLOCK_WORDS;
  },

  format(memory) {
    memory.fill(0);
    Atomics.store(longsAt(memory, 0, 1), SPENT, FULL_SINCE_EVER);
  },

  attach(memory, setup, _worker, nowNs = processClock(memory, CLOCK)): TokenBucket {
    const { capacity } = setup;
    const scale = scaleOf(setup);
    const words = longsAt(memory, 0, 1);
    const costOf = (n: number) => {
      if (n === 1) return scale.token;
      assertTokens(n, capacity);
      return BigInt(n) * scale.token;
    };
    return {
      tryTake(n = 1) {
        const cost = costOf(n);
        for (;;) {
          const spent = Atomics.load(words, SPENT);
          const next = afterTake(scale, spent, cost, BigInt(nowNs()));
          if (next === undefined) return false;
          if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true;
        }
      },
      waitMs(n = 1) {
        const cost = costOf(n);
        return waitMsOf(scale, Atomics.load(words, SPENT), cost, BigInt(nowNs()));
      },
    };
  },
} satisfies LimitsCompetitor;

/** Of 64-bit words. */
const SPENT = 0;
/** Of int32 words. */
const CLOCK = STRIDE_WORDS;
