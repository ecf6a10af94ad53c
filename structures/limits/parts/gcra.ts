import { type Scale, whenPassed } from "./scale.ts";

/**
 * The generic cell rate algorithm, as ITU-T I.371 describes it by virtual scheduling, counted in ticks: see scale.ts.
 * One number is the whole state: **spent**, the ticks up to which tokens are used. A bucket that is empty has spent
 * all ticks that have passed; one that is full has `full` of them left.
 *
 * Why it never exceeds the limit, whatever the order of takes and however old a reading. A take at time t leaves spent
 * at P(t) - full + cost or more, where P(t) are the ticks passed, not rounded. Later takes add their costs. None lets
 * spent exceed the ticks passed at its own time u, unless it found the bucket full. So all takes from t to u cost at
 * most P(u) - P(t) + full.
 *
 * Rounding is against the taker. Ticks are rounded down where a take asks what there is. They are rounded up where a
 * full bucket starts anew: else two takes a fraction of a tick apart could win a tick.
 */

/** Spent of a bucket that has been full since ever. */
export const FULL_SINCE_EVER = -(2n ** 62n);

/** What is spent after a take of `cost` ticks at `nowNs`; undefined where the bucket does not hold them. */
export function afterTake(scale: Scale, spent: bigint, cost: bigint, nowNs: bigint): bigint | undefined {
  const units = nowNs * scale.rate;
  const passed = units >> scale.shift;
  if (spent <= passed - scale.full) return -(-units >> scale.shift) - scale.full + cost;
  const next = spent + cost;
  return next <= passed ? next : undefined;
}

/** Milliseconds from `nowNs` until a take of `cost` ticks will succeed, with the same spent. */
export function waitMsOf(scale: Scale, spent: bigint, cost: bigint, nowNs: bigint): number {
  // With a full bucket, this is no later than now as well.
  const dueNs = whenPassed(scale, spent + cost);
  return dueNs <= nowNs ? 0 : Number(dueNs - nowNs) / NS_PER_MS;
}

const NS_PER_MS = 1e6;
