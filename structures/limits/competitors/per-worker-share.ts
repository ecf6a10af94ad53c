import { makeCrewClock, readCrewClock } from "../../shared/crew-clock.ts";
import { assertSetup, assertTokens, type LimitsCompetitor, type TokenBucket } from "../limits.contract.ts";
import { shareOf } from "../parts/share.ts";

/**
 * A bucket for each worker, with its part of capacity and rate: what a program does that shares nothing.
 *
 * Promise: all workers together keep the limit, but for 2^-40 of the capacity by rounding.
 * Progress: wait-free.
 * Threads: any worker that attached; each has a part of its own, which a later holder of the seat finds full again.
 * Cost: a reading of the clock, and a few operations on doubles.
 * Memory: private.
 * Limits: not one limit. A worker is refused although others have tokens left; a take of more tokens than its part
 *   always is. With more workers than tokens, some have no part. A worker that restarts begins with a full part, so
 *   restarts exceed the limit.
 * Bet: what sharing costs is its distance from this.
 * Source: folklore; RFC 2697 for the bucket.
 */
export default {
  summary: "a private bucket for each worker, with its part of capacity and rate",
  source: "folklore; RFC 2697",
  progress: "wait-free",
  scope: "split",
  refill: "continuous",
  mostOver: ({ capacity }) => capacity * 2 ** -40,
  mostLateNs: ({ capacity, perSecond }) => 2 + (capacity / perSecond) * 1e9 * 2 ** -40,

  words(setup) {
    assertSetup(setup);
    return 0;
  },

  format() {},

  attach(_memory, setup, worker, nowNs = readCrewClock(makeCrewClock())): TokenBucket {
    const { tokens, perSecond } = shareOf(setup, worker);
    const perNs = perSecond / 1e9;
    let level = tokens;
    let filledAtNs = nowNs();
    const fill = () => {
      const now = nowNs();
      level = Math.min(tokens, level + (now - filledAtNs) * perNs);
      filledAtNs = now;
    };
    return {
      tryTake(n = 1) {
        assertTokens(n, setup.capacity);
        fill();
        if (level < n) return false;
        level -= n;
        return true;
      },
      waitMs(n = 1) {
        assertTokens(n, setup.capacity);
        if (n > tokens) return Number.POSITIVE_INFINITY;
        fill();
        return level >= n ? 0 : Math.ceil((n - level) / perNs + 1) / 1e6;
      },
    };
  },
} satisfies LimitsCompetitor;
