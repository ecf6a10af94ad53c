import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { assertSetup, assertTokens, type LimitsCompetitor, type TokenBucket } from "../limits.contract.ts";
import { CLOCK_WORDS, longsAt, processClock } from "../parts/clock.ts";
import { rateLossNs, scaleOf } from "../parts/scale.ts";

/**
 * The oracle: the textbook's bucket, filled by the time since it was last looked at, behind a mutex. It rounds
 * nothing but the rate: down, by less than 2^-51.
 *
 * Promise: the limit is exact; a token comes with the first nanosecond in which it is due.
 * Progress: blocking.
 * Threads: any worker that attached.
 * Cost: an uncontended lock and unlock, a reading of the clock within, and a dozen operations on BigInts of up to 112
 *   bits; contended, a trip through the kernel.
 * Memory: three strides: the lock, the bucket, and the clock's word.
 * Limits: a worker that is terminated inside stops all takes; one that is terminated as it is woken may, until its
 *   seat is freed.
 * Bet: none; it is here because it is obviously right.
 * Source: the token bucket of RFC 2697 (Heinanen & Guerin, 1999), without its colours.
 *
 *     word 0          lock     see locks/futex-three-state
 *     words 32 ..     bucket   three int64 words, read and written plainly by the worker that holds the lock:
 *                              when it was last filled, in ns; the level's bits from 62 on; the level's lower bits
 *     then            clock    see parts/clock.ts
 */
export default {
  summary: "oracle: a level and a time behind a three-state futex mutex",
  source: "RFC 2697",
  progress: "blocking",
  sleepWord: futex.sleepWord,
  scope: "one",
  refill: "continuous",
  mostOver: () => 0,
  /** Less than one, as clocks count whole ones; and what doubles of milliseconds round. */
  mostLateNs: (setup) => 2 + rateLossNs(setup),

  words(setup) {
    assertSetup(setup);
    return CLOCK + CLOCK_WORDS;
  },

  format(memory, setup) {
    memory.fill(0);
    futex.format(memory.subarray(0, BUCKET));
    const { full, shift } = scaleOf(setup);
    storeLevel(longsAt(memory, BUCKET, BUCKET_LONGS), full << shift);
  },

  attach(memory, setup, _worker, nowNs = processClock(memory, CLOCK)): TokenBucket {
    const { capacity } = setup;
    const { token, full, rate, shift } = scaleOf(setup);
    const most = full << shift;
    const mutex = futex.attach(memory.subarray(0, BUCKET));
    const bucket = longsAt(memory, BUCKET, BUCKET_LONGS);
    /** In units of 2^-shift ticks, of which `rate` come in a nanosecond. */
    const costOf = (n: number) => {
      assertTokens(n, capacity);
      return (BigInt(n) * token) << shift;
    };
    const filled = () => {
      const now = BigInt(nowNs());
      const came = (now - bucket[FILLED_AT]!) * rate;
      const level = (bucket[LEVEL_HIGH]! << LOW_BITS) + bucket[LEVEL_LOW]! + came;
      bucket[FILLED_AT] = now;
      return level < most ? level : most;
    };
    return {
      tryTake(n = 1) {
        const cost = costOf(n);
        mutex.lock();
        const level = filled();
        const isThere = level >= cost;
        storeLevel(bucket, isThere ? level - cost : level);
        mutex.unlock();
        return isThere;
      },
      waitMs(n = 1) {
        const cost = costOf(n);
        mutex.lock();
        const level = filled();
        storeLevel(bucket, level);
        mutex.unlock();
        return level >= cost ? 0 : Number((cost - level + rate - 1n) / rate) / 1e6;
      },
    };
  },
} satisfies LimitsCompetitor;

function storeLevel(bucket: BigInt64Array, level: bigint): void {
  bucket[LEVEL_HIGH] = level >> LOW_BITS;
  bucket[LEVEL_LOW] = level & ((1n << LOW_BITS) - 1n);
}

/** Of int32 words. */
const BUCKET = STRIDE_WORDS;
const CLOCK = 2 * STRIDE_WORDS;
/** Of the bucket's 64-bit words. */
const FILLED_AT = 0;
const LEVEL_HIGH = 1;
const LEVEL_LOW = 2;
const BUCKET_LONGS = 3;
const LOW_BITS = 62n;
