/**
 * Which benchmark is faster, from samples of one process. The ratio of two means or medians has an interval by the
 * delta method on its logarithm. The relative standard errors of both add up as squares, with Welch's degrees of
 * freedom (Welch 1947, Biometrika 34:28). It takes samples for independent, and ignores how processes differ.
 */
import type { RatioInterval } from "./numbers.ts";

/** Differences up to this are called the same; smaller ones cannot be distinguished from code that was compiled otherwise. */
export const SAME_WITHIN = 0.03;

/** How likely it is, if samples are independent, that any interval of a table misses. */
const TABLE_ERROR = 0.05;

/**
 * Degrees of freedom above this are taken for this many. The interval is at most 0.4 % wider than it need be, up to a
 * hundred pairs, and the quantile's series stays short.
 */
const MOST_FREEDOM = 1000;

/** What the samples of a benchmark say of the error of their mean, in their unit. */
export interface Spread {
  /** Half the width of the 95% confidence interval of the mean. */
  readonly marginOfError: number;
  readonly standardDeviation: number;
  /** Of the mean. */
  readonly standardError: number;
}

/** The spread of two samples or more. */
export function spreadOf(samples: readonly number[]): Spread {
  const count = samples.length;
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / count;
  const squares = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
  const standardDeviation = Math.sqrt(squares / (count - 1));
  const standardError = standardDeviation / Math.sqrt(count);
  const marginOfError = studentQuantile(0.975, count - 1) * standardError;
  return { marginOfError, standardDeviation, standardError };
}

/** The mean or median of a benchmark's samples, and what is known of its error. */
export interface Estimate {
  /** Above zero, in any unit; the same for all that are compared. */
  readonly value: number;
  /** Of that, in the same unit; absent where it is not known. */
  readonly standardError?: number | undefined;
  readonly samples: number;
  /** Whether it is so short that a good part of it is the clock's own reading. */
  readonly isNearClock: boolean;
}

export type Verdict = "faster" | "slower" | "same" | "cannot tell";

export interface Comparison {
  /** Over the other; `high` is Infinity where an error is not known. */
  readonly ratio: RatioInterval;
  readonly verdict: Verdict;
}

/** Compares the first with the second, as one of `pairs` pairs of a table whose intervals shall all hold at once. */
export function compare(subject: Estimate, other: Estimate, pairs: number): Comparison {
  const ratio = ratioOf(subject, other, pairs);
  // Both hold the same reading of the clock, which hides by how much they differ.
  const isHidden = subject.isNearClock && other.isNearClock;
  return { ratio, verdict: isHidden ? "cannot tell" : verdictOf(ratio) };
}

/** Place among rivals, itself or not: 1 + the number that are shown to be faster, so that ties share a place. */
export function placeOf(subject: Estimate, rivals: readonly Estimate[], pairs: number): number {
  return 1 + rivals.filter((rival) => compare(rival, subject, pairs).verdict === "faster").length;
}

function ratioOf(subject: Estimate, other: Estimate, pairs: number): RatioInterval {
  const value = subject.value / other.value;
  if (!isErrorKnown(subject) || !isErrorKnown(other)) {
    return { value, low: 0, high: Number.POSITIVE_INFINITY };
  }
  const [a, b] = [(subject.standardError / subject.value) ** 2, (other.standardError / other.value) ** 2];
  const freedom = (a + b) ** 2 / (a ** 2 / (subject.samples - 1) + b ** 2 / (other.samples - 1));
  const reach = Math.exp(studentQuantile(1 - TABLE_ERROR / (2 * pairs), freedom) * Math.sqrt(a + b));
  return { value, low: value / reach, high: value * reach };
}

/** Samples that are all alike show no error: the clock may not resolve how much they differ. */
export function isErrorKnown(estimate: Estimate): estimate is Estimate & { readonly standardError: number } {
  return estimate.standardError !== undefined && estimate.standardError > 0 && estimate.samples > 1;
}

function verdictOf({ low, high }: RatioInterval): Verdict {
  const [lowest, highest] = [1 / (1 + SAME_WITHIN), 1 + SAME_WITHIN];
  if (high < lowest) return "faster";
  if (low > highest) return "slower";
  return low >= lowest && high <= highest ? "same" : "cannot tell";
}

/**
 * Quantile of Student's t for `share` in 0.5 .. 1 - 1e-9, with `freedom` degrees of freedom from 1, rounded down: where
 * the distribution function reaches `share`.
 */
export function studentQuantile(share: number, freedom: number): number {
  const whole = Math.floor(Math.min(freedom, MOST_FREEDOM));
  let low = 0;
  let high = 1;
  while (studentDistribution(high, whole) < share) high *= 2;
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (studentDistribution(middle, whole) < share) low = middle;
    else high = middle;
  }
  return high;
}

/** Distribution function of Student's t for t >= 0, by its finite series (Abramowitz & Stegun 26.7.3 and 26.7.4). */
function studentDistribution(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let series = freedom === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= ((power - 1) / power) * cosine ** 2;
    series += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * series) : Math.sin(angle) * series;
  return (1 + within) / 2;
}
