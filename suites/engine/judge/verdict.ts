import {
  bootstrapMedian,
  type Interval,
  median,
  medianOfForks,
  percentileInterval,
  quantile,
  resampledMedians,
  type Sample,
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
  /** The log ratios of every row of its group, itself and the twin included: they show how much forks differ. */
  readonly peers: readonly Sample[];
}

/**
 * Judges all comparisons of a table together. Holm's step-down: the comparison with the strongest evidence gets the
 * widest interval, 1 - 0.01 / n, the next 1 - 0.01 / (n - 1), and so on, so that the chance of any false verdict in
 * the table stays at 1 %.
 */
export function judge(comparisons: readonly Comparison[], seed: number): Judgement[] {
  const measured = comparisons.map((comparison) => {
    const { logRatios, floor } = comparison;
    const interval = intervalOf(comparison, seed);
    const point = medianOfForks(logRatios);
    const { low, high } = interval(1 - TABLE_ERROR);
    const evidence = Math.abs(point) / Math.max(Number.MIN_VALUE, high - low);
    return { interval, point, floor, evidence, forks: logRatios.length };
  });
  const strongestFirst = measured.toSorted((a, b) => b.evidence - a.evidence);
  return measured.map((comparison) => {
    const remaining = measured.length - strongestFirst.indexOf(comparison);
    const { low, high } = comparison.interval(1 - TABLE_ERROR / remaining);
    const ratio = { value: Math.exp(comparison.point), low: Math.exp(low), high: Math.exp(high) };
    // One process shows nothing of how processes differ.
    const verdict = comparison.forks < 2 ? "cannot tell" : verdictOn(ratio, comparison.floor);
    return { ratio, verdict };
  });
}

/**
 * Below this many forks a bootstrap knows too little of how forks differ: with two it can never reach beyond the two,
 * and the truth lies outside them half the time. Synthetic tables of equals whose forks differ by 5 % then got up to
 * 7 % false verdicts; from five forks on none.
 */
const FEW_FORKS = 5;

/**
 * The interval of a comparison for any confidence. With few forks it is at least as wide as the row's group says that
 * forks of this machine scatter: the deviations of every row's forks from their row, drawn as if they were this row's.
 */
function intervalOf({ logRatios, peers }: Comparison, seed: number): (confidence: number) => Interval {
  const own = bootstrapMedian(logRatios, seed);
  if (logRatios.length >= FEW_FORKS) return (confidence) => percentileInterval(own, confidence);
  const point = medianOfForks(logRatios);
  const scatter = resampledMedians(peers.flatMap(forkDeviations), logRatios.length, seed);
  return (confidence) => {
    const byOwn = percentileInterval(own, confidence);
    const byPeers = percentileInterval(scatter, confidence);
    return {
      low: Math.min(byOwn.low, point + byPeers.low),
      high: Math.max(byOwn.high, point + byPeers.high),
    };
  };
}

/** How far each fork's median is from its row's mean, scaled up for having been counted in that mean; both signs. */
function forkDeviations(sample: Sample): number[] {
  const medians = sample.map(median);
  const mean = medians.reduce((sum, value) => sum + value, 0) / medians.length;
  const unbiased = Math.sqrt(medians.length / Math.max(1, medians.length - 1));
  return medians.flatMap((value) => [unbiased * (value - mean), unbiased * (mean - value)]);
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
