import {
  bootstrapMedian,
  type Interval,
  median,
  medianOfForks,
  percentileInterval,
  quantile,
  type Sample,
  standardDeviation,
  studentQuantile,
} from "./statistics.ts";

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

/** Chance of a wrong interval anywhere in a table, if the assumptions of `intervalOf` held. */
export const TABLE_ERROR = 0.01;

/** A floor is never taken to be lower than this, however quiet the twin: code layout alone moves this much. */
const LEAST_FLOOR = 0.01;

/** Differences up to this are called the same when the noise allows to see that they are no larger. */
export const SAME_WITHIN = 0.03;

/**
 * The noise floor: the 95th percentile of how far the twin's ratio can be from 1 under the bootstrap that also gives
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
  /** The log ratios of every other row of its group, the twin included: they show how much forks differ. */
  readonly peers: readonly Sample[];
}

/**
 * Judges all comparisons of a table together. Every interval is widened to 1 - 0.01 / n for n rows (Bonferroni), so
 * that the chance of any false verdict in the table stays at 1 %. Not Holm's step-down: it narrows the intervals of the
 * rows that differ least, and those are the ones that may be called the same.
 */
export function judge(comparisons: readonly Comparison[], seed: number): Judgement[] {
  return comparisons.map((comparison) => judgeAmong(comparisons.length, comparison, seed));
}

/** Judges one comparison as a table of so many rows does. */
export function judgeAmong(rows: number, { logRatios, floor, peers }: Comparison, seed: number): Judgement {
  const confidence = 1 - TABLE_ERROR / Math.max(1, rows);
  const interval = intervalOf(logRatios, peers, confidence, seed);
  const ratio = {
    value: Math.exp(medianOfForks(logRatios)),
    low: Math.exp(interval.low),
    high: Math.exp(interval.high),
  };
  // One process shows nothing of how processes differ.
  return { ratio, verdict: logRatios.length < 2 ? "cannot tell" : verdictOn(ratio, floor) };
}

/**
 * How much the scatter of a row's peers counts beside its own, in degrees of freedom: twice as much where the row has
 * two forks and knows next to nothing of itself, and as much from five forks on.
 */
function peerWeight(ownFreedom: number, peersFreedom: number): number {
  return Math.min(2 * ownFreedom, 4, peersFreedom);
}

/**
 * An interval for the middle of a sample of logarithms: the hierarchical bootstrap's, and at least the t interval of
 * the fork medians. The bootstrap alone sees how rounds scatter but can never leave the range of the forks it was
 * given, so of "99 %" intervals it gave, two forks covered 55 %, five 93 %.
 *
 * The variance in the t interval is moderated, as for many small samples side by side (Smyth 2004, limma): the row's
 * own and that of its `peers`, which ran in the same processes, weighted by degrees of freedom. By itself a variance
 * of two forks is worth next to nothing; by the peers' alone, a row that is noisier than they are would be misjudged.
 */
export function intervalOf(
  sample: Sample,
  peers: readonly Sample[],
  confidence: number,
  seed: number,
): Interval {
  const byBootstrap = percentileInterval(bootstrapMedian(sample, seed), confidence);
  const own = forkScatter([sample]);
  const others = forkScatter(peers);
  const weight = peerWeight(own.freedom, others.freedom);
  const freedom = own.freedom + weight;
  if (freedom === 0) return byBootstrap;
  const variance = (own.freedom * own.variance + weight * others.variance) / freedom;
  const medians = sample.map(median);
  const mean = medians.reduce((sum, value) => sum + value, 0) / medians.length;
  const reach = studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(variance / medians.length);
  return { low: Math.min(byBootstrap.low, mean - reach), high: Math.max(byBootstrap.high, mean + reach) };
}

/** Variance of fork medians about their row's mean, pooled over rows, and its degrees of freedom. */
function forkScatter(samples: readonly Sample[]): { variance: number; freedom: number } {
  let squares = 0;
  let freedom = 0;
  for (const sample of samples) {
    if (sample.length < 2) continue;
    squares += standardDeviation(sample.map(median)) ** 2 * (sample.length - 1);
    freedom += sample.length - 1;
  }
  return { variance: freedom === 0 ? 0 : squares / freedom, freedom };
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
