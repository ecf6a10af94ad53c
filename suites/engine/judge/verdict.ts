import { bootstrapMedian, medianOfForks, percentileInterval, quantile, type Sample } from "./statistics.ts";

/**
 * Verdicts on ratios. All arithmetic is on logarithms, where twice as slow and twice as fast are equally far from
 * equal; what leaves this file is a ratio again.
 */
export type Verdict = "faster" | "slower" | "same" | "cannot tell";

export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Judgement {
  readonly ratio: Ratio;
  readonly verdict: Verdict;
}

/** Chance of a wrong interval anywhere in a table, if the bootstrap's assumptions held. */
const TABLE_ERROR = 0.01;

/** A floor is never taken to be lower than this, however quiet the twin: code layout alone moves this much. */
const LEAST_FLOOR = 0.01;

/** Differences up to this are called the same when the noise allows to see that they are no larger. */
const SAME_WITHIN = 0.03;

/**
 * The noise floor: the 95th percentile of how far the twin's ratio can be from 1 under the same resampling that gives
 * every other row its interval, at least 1 %. The twin is the baseline under another name, so whatever it shows is
 * noise of exactly the kind that the other rows have too.
 */
export function floorOf(twinLogRatios: Sample, seed: number): number {
  const deviations = bootstrapMedian(twinLogRatios, seed).map(Math.abs).sort();
  return Math.max(LEAST_FLOOR, Math.expm1(quantile(deviations, 0.95)));
}

/** A comparison to be judged: the log of candidate / baseline for every kept round, and the floor of its group. */
export interface Comparison {
  readonly logRatios: Sample;
  readonly floor: number;
}

/**
 * Judges all comparisons of a table together. Holm's step-down: the comparison with the strongest evidence gets the
 * widest interval, 1 - 0.01 / n, the next 1 - 0.01 / (n - 1), and so on, so that the chance of any false verdict in
 * the table stays at 1 %.
 */
export function judge(comparisons: readonly Comparison[], seed: number): Judgement[] {
  const measured = comparisons.map(({ logRatios, floor }) => {
    const replicates = bootstrapMedian(logRatios, seed);
    const point = medianOfForks(logRatios);
    const { low, high } = percentileInterval(replicates, 1 - TABLE_ERROR);
    const evidence = Math.abs(point) / Math.max(Number.MIN_VALUE, high - low);
    return { replicates, point, floor, evidence };
  });
  const strongestFirst = measured.toSorted((a, b) => b.evidence - a.evidence);
  return measured.map((comparison) => {
    const remaining = measured.length - strongestFirst.indexOf(comparison);
    const { low, high } = percentileInterval(comparison.replicates, 1 - TABLE_ERROR / remaining);
    const ratio = { value: Math.exp(comparison.point), low: Math.exp(low), high: Math.exp(high) };
    return { ratio, verdict: verdictOn(ratio, comparison.floor) };
  });
}

/**
 * `faster` or `slower` if the interval lies wholly outside 1 +- floor, `same` if wholly inside 1 +- max(floor, 3 %),
 * otherwise `cannot tell`. The lower bound is taken as 1 / (1 + x), so that swapping the two sides of a ratio swaps
 * the verdict.
 */
export function verdictOn({ low, high }: Ratio, floor: number): Verdict {
  const same = Math.max(floor, SAME_WITHIN);
  if (high < 1 / (1 + floor)) return "faster";
  if (low > 1 + floor) return "slower";
  if (low >= 1 / (1 + same) && high <= 1 + same) return "same";
  return "cannot tell";
}
