import { STRIDE_WORDS } from "../../shared/layout.ts";
import {
  assertSetup,
  assertTokens,
  type LimitsCompetitor,
  type LimitsSetup,
  type TokenBucket,
} from "../limits.contract.ts";
import { CLOCK_WORDS, processClock } from "../parts/clock.ts";
import { rateLossNs, scaleOf, whenPassed } from "../parts/scale.ts";

/**
 * The word of gcra-cas modulo 2^32, with ticks so coarse that a full bucket has at most 2^30 of them.
 *
 * Promise: the limit is exact, but for the case under Limits. A token comes at most two ticks late: 4 ns, or a 2^28th
 *   of the time to fill where that is more.
 * Progress: lock-free, as gcra-cas.
 * Threads: as gcra-cas.
 * Cost: that of gcra-cas without the BigInts of the word.
 * Memory: as gcra-cas, half of the word.
 * Limits: a rest of more than `mostRestNs`, about three times the time to fill or more, may leave the bucket less than
 *   full. It is full again once as much time has passed as it takes to fill. A worker may stop inside a take until the
 *   word has wrapped, and then find the value that it loaded. It is then granted tokens that others have taken.
 * Bet: half the width saves little, as the clock remains.
 * Source: gcra-cas; serial numbers, RFC 1982.
 *
 *     word 0   spent   every worker, atomically; see parts/gcra.ts, modulo 2^32
 *     then     clock   see parts/clock.ts
 */
export default {
  summary: "GCRA in one 32-bit word of all workers, which wraps",
  source: "ITU-T I.371; RFC 1982",
  variantOf: "gcra-cas",
  progress: "lock-free",
  scope: "one",
  refill: "continuous",
  mostOver: () => 0,
  mostLateNs: (setup) => 2 * tickNs(setup) + 1 + rateLossNs(setup),
  /** Beyond this the ticks since the bucket was full may seem fewer than a full bucket's. */
  mostRestNs: (setup) => (2 ** 32 - 2 ** 30 - 2) * tickNs(setup),

  words(setup) {
    assertSetup(setup);
    return CLOCK + CLOCK_WORDS;
  },

  format(memory, setup, nowNs = processClock(memory, CLOCK)) {
    memory.fill(0);
    const { rate, shift, full } = scaleOf(setup, FULL_BITS);
    Atomics.store(memory, SPENT, int32Of(((BigInt(nowNs()) * rate) >> shift) - full));
  },

  attach(memory, setup, _worker, nowNs = processClock(memory, CLOCK)): TokenBucket {
    const { capacity } = setup;
    const scale = scaleOf(setup, FULL_BITS);
    const { rate, shift } = scale;
    const token = Number(scale.token);
    const full = Number(scale.full);
    /** Ticks that are left; of a full bucket, at least as many as it holds. */
    const leftAt = (spent: number, units: bigint) => {
      const left = (int32Of(units >> shift) - spent) | 0;
      return left < -1 ? full : left;
    };
    return {
      tryTake(n = 1) {
        assertTokens(n, capacity);
        const cost = n * token;
        for (;;) {
          // The word before the clock: what is spent is then never later than now, but for the tick that rounding adds.
          const spent = Atomics.load(memory, SPENT);
          const units = BigInt(nowNs()) * rate;
          const left = leftAt(spent, units);
          if (left < cost) return false;
          const before = left >= full ? int32Of(-(-units >> shift)) - full : spent;
          if (Atomics.compareExchange(memory, SPENT, spent, (before + cost) | 0) === spent) return true;
        }
      },
      waitMs(n = 1) {
        assertTokens(n, capacity);
        const spent = Atomics.load(memory, SPENT);
        const now = BigInt(nowNs());
        const units = now * rate;
        const missing = n * token - leftAt(spent, units);
        if (missing <= 0) return 0;
        return Number(whenPassed(scale, (units >> shift) + BigInt(missing)) - now) / 1e6;
      },
    };
  },
} satisfies LimitsCompetitor;

const SPENT = 0;
const CLOCK = STRIDE_WORDS;
/** A quarter of what the word holds. */
const FULL_BITS = 30;

function int32Of(ticks: bigint): number {
  return Number(BigInt.asIntN(32, ticks));
}

function tickNs(setup: LimitsSetup): number {
  const { rate, shift } = scaleOf(setup, FULL_BITS);
  return 2 ** Number(shift) / Number(rate);
}
