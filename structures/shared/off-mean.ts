/**
 * How far a sum of `count` whole numbers is above `count` times their mean, where the sum is known only modulo 2^32.
 * Returns the smallest possible distance, in -2^31 .. 2^31. So a sum says nothing where 2^31 or more is allowed either
 * way: a judge of it has to let that pass.
 *
 * The mean is a fraction, because it is seldom a whole number. Scaled by its denominator, the sum is known modulo 2^32
 * times that, and no part of it is lost. BigInt, because the products need more than 53 bits.
 */
export function offMean(checksum: number, count: number, mean: Fraction): number {
  const over = BigInt(mean.over);
  const modulo = over << 32n;
  const residue = (over * BigInt(checksum) - BigInt(count) * BigInt(mean.top)) % modulo;
  // The remainder has the sign of its dividend.
  const positive = residue < 0n ? residue + modulo : residue;
  return Number(2n * positive >= modulo ? positive - modulo : positive) / mean.over;
}

/** A number as the quotient of two whole ones. */
export interface Fraction {
  readonly top: number;
  readonly over: number;
}

/** The mean of 0 .. values - 1, all as likely. */
export function uniformMean(values: number): Fraction {
  return { top: values - 1, over: 2 };
}

/** What a deviation must stay below for `offMean` to be able to contradict it. */
export const MOST_TELLING = 2 ** 31;
