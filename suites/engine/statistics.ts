/**
 * Statistics of replicated measurements. A sample is one value for each fork: slices of one process share its luck
 * (placement, compiled code), so only forks count as replicates.
 */
export type Sample = readonly number[];

/** Middle value, or the mean of the two middle ones. NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values.toSorted(ascending), 0.5);
}

/** Quantile of sorted values by linear interpolation between order statistics (Hyndman & Fan type 7). NaN for none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.ceil(place);
  // Also of two that are infinite, whose difference is no number.
  if (sorted[below] === sorted[above]) return sorted[below]!;
  // Rounding may carry the sum past the upper neighbour.
  return Math.min(sorted[above]!, sorted[below]! + (place - below) * (sorted[above]! - sorted[below]!));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Arithmetic mean. NaN for none. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Sum of the squared distances from the mean. */
export function squaresOf(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((total, value) => total + (value - middle) ** 2, 0);
}

/** Sample standard deviation (n - 1). NaN below two values. */
export function standardDeviation(values: readonly number[]): number {
  return Math.sqrt(squaresOf(values) / (values.length - 1));
}

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % interval of a share, from the number of draws and of hits (Wilson 1927). It lies within 0 .. 1, and has a width
 * even where all were hits, or none.
 */
export function wilsonInterval(seen: number, draws: number): Bounds {
  const z = 1.959964;
  const center = (seen + z ** 2 / 2) / (draws + z ** 2);
  const half = (z / (draws + z ** 2)) * Math.sqrt((seen * (draws - seen)) / draws + z ** 2 / 4);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}

/**
 * Quantile of Student's t with `freedom` degrees of freedom (an integer from 1), for `share` in 0.5 .. 1 - 1e-9. It is
 * where the distribution function, by its finite series (Abramowitz & Stegun 26.7.3 and 26.7.4), reaches `share`.
 */
export function studentQuantile(share: number, freedom: number): number {
  let low = 0;
  let high = 1;
  while (studentCdf(high, freedom) < share) high *= 2;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, freedom) < share) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The chance of a Student's t at least that far from 0 on either side, with `freedom` degrees of freedom (an integer
 * from 1). It is the two-sided p of a t test. For t in 0 .. Infinity; below 1e-15 it is 0, where the series has no
 * digits left.
 */
export function studentP(t: number, freedom: number): number {
  return Math.max(0, 2 * (1 - studentCdf(t, freedom)));
}

/** Distribution function of Student's t for t >= 0. */
function studentCdf(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2 === 1;
  let term = odd ? cosine : 1;
  let series = freedom === 1 ? 0 : term;
  for (let power = odd ? 3 : 2; power <= freedom - 2; power += 2) {
    term *= ((power - 1) / power) * cosine * cosine;
    series += term;
  }
  const within = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * series) : Math.sin(angle) * series;
  return (1 + within) / 2;
}

/**
 * The second derivative of the logarithm of the gamma function, for x > 0. It is the variance of the logarithm of a
 * variance that is estimated with 2 x degrees of freedom. By recurrence up to 6 and the asymptotic series from there
 * (Abramowitz & Stegun 6.4.6 and 6.4.12), to 1e-8.
 */
export function trigamma(x: number): number {
  let sum = 0;
  let at = x;
  for (; at < 6; at++) sum += 1 / at ** 2;
  const square = 1 / at ** 2;
  const series = square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30)));
  return sum + 1 / at + square / 2 + series / at;
}

/** The x whose trigamma is `value`, for 0 < value < Infinity, to 1e-9 of it. */
export function trigammaInverse(value: number): number {
  // Trigamma falls, and lies between 1 / x and 1 / x + 1 / x^2.
  let low = 1 / value;
  let high = low + 1 + 1 / Math.sqrt(value);
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (trigamma(middle) > value) low = middle;
    else high = middle;
  }
  return high;
}

export function ascending(a: number, b: number): number {
  return a - b;
}

/** For sorting in ascending order. */
export function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
