import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Key } from "../../keyed/keyed.contract.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import {
  type AsyncTokenBucket,
  assertSetup,
  assertTokens,
  type LimitsCompetitor,
  type LimitsSetup,
} from "../limits.contract.ts";
import { shareOf } from "../parts/share.ts";

/**
 * The package rate-limiter-flexible's RateLimiterMemory, one for each worker, with its part of the capacity in each
 * fixed window of the time that the bucket takes to fill.
 *
 * Promise: one capacity in each fixed window, so up to two in a short time, where one ends and the next begins.
 * Progress: wait-free.
 * Threads: any worker that attached; each has a part of its own. Given the whole limit in each thread, n workers would
 *   be granted n times the limit.
 * Cost: a promise, a look-up in a Map, a reading of Date.now and an object for each take, and a rejection for each
 *   that is refused; a timer for each window.
 * Memory: private: a Map entry and a timer for each key.
 * Limits: a refused take counts as well, so one that asks for many may keep later ones from the rest of the window.
 *   Windows up to 2^31 ms: longer ones overflow its timer, and it forgets at once what was taken. Reads Date.now,
 *   whatever clock it is given, so a change of the date moves it. Its RateLimiterCluster shares a limit between
 *   processes of a cluster by messages, not between worker threads: see the scenario one-limit-2.
 * Bet: the promise costs more than all else.
 * Source: npm rate-limiter-flexible 11.4.0 (R. Voloboev).
 */
export default {
  summary: "rate-limiter-flexible's fixed windows in memory for each worker, with its part of the capacity",
  source: "npm rate-limiter-flexible",
  progress: "wait-free",
  scope: "split",
  refill: "window",
  // A window begins and ends at whole milliseconds.
  mostOver: ({ perSecond }) => perSecond * 1e-3,
  mostLateNs: () => 1e6,
  ownClockNs: 1e6,

  words(setup) {
    assertSetup(setup);
    const windowMs = (setup.capacity / setup.perSecond) * 1000;
    if (windowMs > MOST_WINDOW_MS)
      throw new RangeError(
        `windows of ${windowMs} ms are longer than ${MOST_WINDOW_MS}, which its timers can be`,
      );
    return 0;
  },

  format() {},

  attach(_memory, setup, worker): AsyncTokenBucket {
    const take = takerOf(setup, worker);
    return { tryTakeAsync: (n = 1) => take(KEY, n) };
  },

  byKey: {
    words: () => 0,
    format() {},
    attach(_memory, setup, worker) {
      const take = takerOf(setup, worker);
      return { tryTakeAsync: (key, n = 1) => take(key, n) };
    },
  },
} satisfies LimitsCompetitor;

function takerOf(setup: LimitsSetup, worker: WorkerIdentity) {
  const { tokens } = shareOf(setup, worker);
  const limiter = new RateLimiterMemory({ points: tokens, duration: setup.capacity / setup.perSecond });
  return async (key: Key, n: number): Promise<boolean> => {
    assertTokens(n, setup.capacity);
    return consumed(limiter, key, n);
  };
}

/** Whether any of the package's limiters granted it. */
export async function consumed(limiter: RateLimiterAbstract, key: Key, n = 1): Promise<boolean> {
  try {
    await limiter.consume(key, n);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

const KEY = "all";
const MOST_WINDOW_MS = 2 ** 31 - 1;
