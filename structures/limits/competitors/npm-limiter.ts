import { TokenBucket as Bucket } from "limiter";
import { assertSetup, assertTokens, type LimitsCompetitor, type TokenBucket } from "../limits.contract.ts";
import { shareOf } from "../parts/share.ts";

/**
 * The package limiter's TokenBucket, one for each worker, with its part of capacity and rate.
 *
 * Promise: that of per-worker-share, but for a microsecond's tokens.
 * Progress: wait-free.
 * Threads: any worker that attached; each has a part of its own. Given the whole limit in each thread, as its readme
 *   has it for one, n workers would be granted n times the limit.
 * Cost: checks of the arguments, a reading of performance.now, and a few operations on doubles.
 * Memory: private: an object and a queue.
 * Limits: those of per-worker-share. Reads performance.now, whatever clock it is given. A bucketSize of 0 is no limit
 *   there, so a worker without a part does not ask it. Its buckets begin empty; here they are filled first.
 * Bet: as fast as per-worker-share.
 * Source: npm limiter 4.1.0 (J. Hurliman).
 */
export default {
  summary: "limiter's TokenBucket for each worker, with its part of capacity and rate",
  source: "npm limiter",
  progress: "wait-free",
  scope: "split",
  refill: "continuous",
  mostOver: ({ capacity, perSecond }) => capacity * 2 ** -30 + perSecond * 1e-6,
  /** It counts waits in whole milliseconds. */
  mostLateNs: ({ capacity, perSecond }) => 1e6 + (capacity / perSecond) * 1e9 * 2 ** -30,
  ownClockNs: 1_000,

  words(setup) {
    assertSetup(setup);
    return 0;
  },

  format() {},

  attach(_memory, setup, worker): TokenBucket {
    const { tokens, perSecond } = shareOf(setup, worker);
    const bucket = new Bucket({ bucketSize: tokens, tokensPerInterval: perSecond, interval: "second" });
    bucket.content = tokens;
    return {
      tryTake(n = 1) {
        assertTokens(n, setup.capacity);
        return tokens > 0 && bucket.tryRemoveTokens(n);
      },
      waitMs(n = 1) {
        assertTokens(n, setup.capacity);
        return n > tokens ? Number.POSITIVE_INFINITY : bucket.getWaitTime(n);
      },
    };
  },
} satisfies LimitsCompetitor;
