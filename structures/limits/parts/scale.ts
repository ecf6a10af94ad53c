import type { LimitsSetup } from "../limits.contract.ts";

/**
 * Time and tokens in one unit, the tick. A token is a whole number of ticks, a power of two. About one tick passes in
 * a nanosecond, 0.5 to 1, or fewer where a full bucket's ticks would not fit into FULL_BITS. So neither a token nor a clock of nanoseconds is
 * rounded; only their meeting is, by less than a tick. The rate is rounded down by less than 2^-51 of itself. Ticks
 * since the clock began fit into 62 bits for 146 years.
 */
export interface Scale {
  /** Ticks of a token. */
  readonly token: bigint;
  /** Ticks of a full bucket. */
  readonly full: bigint;
  /** Ticks that pass in a nanosecond are `rate` / 2^`shift`. */
  readonly rate: bigint;
  readonly shift: bigint;
}

/** The scale whose full bucket has at most 2^`fullBits` ticks; of 60 bits any setup's has. */
export function scaleOf({ capacity, perSecond }: Omit<LimitsSetup, "workers">, fullBits = FULL_BITS): Scale {
  // Exact, because a double of at least LEAST_PER_SECOND has its last bit above 2^-70.
  const perSecondUnits = BigInt(perSecond * 2 ** UNIT_BITS);
  const unitsPerTick = NS_PER_S << BigInt(UNIT_BITS);
  const mostPerToken = 2n ** fullBits / BigInt(capacity);
  let token = 1n;
  while (perSecondUnits * token * 2n <= unitsPerTick && token * 2n <= mostPerToken) token *= 2n;
  let shift = 0n;
  const rateAt = (bits: bigint) => ((perSecondUnits * token) << bits) / unitsPerTick;
  while (rateAt(shift) < LEAST_RATE) shift++;
  let rate = rateAt(shift);
  for (; shift > 0n && rate % 2n === 0n; shift--) rate /= 2n;
  return { token, full: BigInt(capacity) * token, rate, shift };
}

/** Nanoseconds that the rounding of the rate may cost a bucket while it fills once. */
export function rateLossNs({ capacity, perSecond }: LimitsSetup): number {
  return (capacity / perSecond) * 1e9 * 2 ** -50;
}

/** The first nanosecond in which `ticks` have passed. */
export function whenPassed({ rate, shift }: Scale, ticks: bigint): bigint {
  const units = ticks << shift;
  return (units + rate - 1n) / rate;
}

const UNIT_BITS = 70;
/** Of the ticks of a full bucket, whatever the setup. */
const FULL_BITS = 60n;
/** Rounding then takes less than 2^-51 of the rate. */
const LEAST_RATE = 2n ** 51n;
const NS_PER_S = 1_000_000_000n;
