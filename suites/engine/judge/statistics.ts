import { Random } from "../../../structures/shared/sfc32.ts";

/**
 * Statistics of replicated measurements. A sample here is a list of forks, each a list of its rounds: rounds of one
 * process share its luck (placement, code layout), so only forks count as replicates.
 */
export type Sample = readonly (readonly number[])[];

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

/** Arithmetic mean. NaN for none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation (n - 1). NaN below two values. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** The point estimate: median over rounds, then over forks. */
export function medianOfForks(sample: Sample): number {
  return median(sample.map(median));
}

/** Replicates of the whole: enough for the 0.05 % tails that a table of twenty rows asks for. */
const REPLICATES = 10_000;
/**
 * Resampled medians prepared for each fork, from which every replicate draws: the inner level of the bootstrap is
 * itself a distribution to sample from, and drawing all rounds anew for each replicate costs five times as much.
 */
const MEDIANS_PER_FORK = 2_000;

/**
 * Hierarchical bootstrap of `medianOfForks`: forks are drawn with replacement, then rounds within each drawn fork.
 * Returns the sorted replicates. The same sample and seed give the same replicates.
 */
export function bootstrapMedian(sample: Sample, seed: number): Float64Array {
  const random = new Random(seed);
  const forks = sample.map((rounds) => {
    const sorted = rounds.toSorted(ascending);
    const counts = new Uint16Array(sorted.length);
    return Float64Array.from({ length: MEDIANS_PER_FORK }, () => resampledMedian(sorted, counts, random));
  });
  const drawn = new Float64Array(sample.length);
  const replicates = Float64Array.from({ length: REPLICATES }, () => {
    for (let draw = 0; draw < drawn.length; draw++) {
      drawn[draw] = forks[random.below(forks.length)]![random.below(MEDIANS_PER_FORK)]!;
    }
    return quantile(sortFew(drawn), 0.5);
  });
  return replicates.sort();
}

/** Sorts in place by insertion, which for the five or ten forks of a run is less work than calling the built-in sort. */
function sortFew(values: Float64Array): Float64Array {
  for (let index = 1; index < values.length; index++) {
    const value = values[index]!;
    let place = index;
    for (; place > 0 && values[place - 1]! > value; place--) values[place] = values[place - 1]!;
    values[place] = value;
  }
  return values;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The central interval that holds `confidence` of sorted replicates. */
export function percentileInterval(replicates: Float64Array, confidence: number): Interval {
  const tail = (1 - confidence) / 2;
  return { low: quantile(replicates, tail), high: quantile(replicates, 1 - tail) };
}

/**
 * Median of as many draws with replacement from sorted values as there are values, without building the resample.
 * `drawn` is room for one count of each.
 */
function resampledMedian(sorted: readonly number[], drawn: Uint16Array, random: Random): number {
  const { length } = sorted;
  drawn.fill(0);
  for (let draw = 0; draw < length; draw++) drawn[random.below(length)]!++;
  const lowerRank = (length - 1) >> 1;
  const upperRank = length >> 1;
  let seen = 0;
  let lower = Number.NaN;
  for (let index = 0; index < length; index++) {
    seen += drawn[index]!;
    if (seen > lowerRank && Number.isNaN(lower)) lower = sorted[index]!;
    if (seen > upperRank) return (lower + sorted[index]!) / 2;
  }
  return lower;
}

/**
 * Quantile of Student's t with `freedom` degrees of freedom (an integer from 1), for `share` in 0.5 .. 1 - 1e-9: where
 * the distribution function, by its finite series (Abramowitz & Stegun 26.7.3 and 26.7.4), reaches `share`.
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
 * from 1): the two-sided p of a t test. For t in 0 .. Infinity; below 1e-15 it is 0, where the series has no digits left.
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

function ascending(a: number, b: number): number {
  return a - b;
}
