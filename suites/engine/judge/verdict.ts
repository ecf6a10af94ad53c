import type { Contrast, Ratio } from "../schema/verdict.ts";
import {
  type Interval,
  mean,
  median,
  type Sample,
  standardDeviation,
  studentQuantile,
  trigamma,
  trigammaInverse,
} from "../statistics.ts";

/**
 * Verdicts on ratios. All arithmetic is on logarithms, where twice as slow and twice as fast are equally far from
 * equal; what leaves this file is a ratio again.
 */
export type Verdict = "faster" | "slower" | "same" | "cannot tell" | "no power";

export interface Judgement {
  readonly ratio: Ratio;
  readonly verdict: Verdict;
  /** How far the interval reaches to one side, as a share: 0.012 is 1.2 %. Infinite from a single fork. */
  readonly halfWidth: number;
  /** The least difference that would have been told, as a share: half width and floor together. */
  readonly sees: number;
}

/** The most that a false verdict on a row is likely, and one on any row of a table. */
const ROW_ERROR = 0.004;
const TABLE_ERROR = 0.05;

/**
 * After how many forks, from FEWEST_FORKS to MOST_FORKS, the judge looks whether a row is decided: close together where a
 * fork more changes much. A row that is looked at more often has more chances to be misjudged, so its error is spread evenly
 * over the looks (see `confidenceOf`); what those that are not taken leave is spent at the end (see `judgeLast`).
 */
export const LOOKS: readonly number[] = [4, 6, 8, 12, 16, 24, 32, 48, 64];

export function isLook(forks: number): boolean {
  return LOOKS.includes(forks);
}

/** A floor is never taken to be lower than this: what compiled code alone moves a crew that differs in nothing else. */
export const LEAST_FLOOR = 0.003;

/** A floor above this measured nothing. */
export const POWERLESS_FLOOR = 0.1;

/** Differences up to this are called the same when the noise allows to see that they are no larger. */
export const SAME_WITHIN = 0.03;

/** Of a figure by itself, which nothing is judged by. */
export const FIGURE_CONFIDENCE = 0.99;
const FLOOR_CONFIDENCE = 0.95;

/** What a table asks of each of its rows: how many there are, and how often they were looked at in the racing. */
export interface Strictness {
  readonly rows: number;
  readonly looks: number;
}

/**
 * The confidence of an interval of a table at one of its looks: the error is shared among the rows (Bonferroni), and evenly
 * among the looks. Equal shares are Pocock's boundary (Pocock 1977, Biometrika 64:191) with the union bound in place of the
 * joint distribution of the looks, and an error-spending function after Lan & DeMets (1983, Biometrika 70:659) that needs no
 * model of how forks of one row hang together: a little wider, and true whatever that is. `shares` is how many looks' shares
 * are spent at once.
 */
export function confidenceOf({ rows, looks }: Strictness, shares = 1): number {
  return 1 - (shares * Math.min(ROW_ERROR, TABLE_ERROR / Math.max(1, rows))) / Math.max(1, looks);
}

/** Whether a verdict settles a row. */
export function isDecided(verdict: Verdict): boolean {
  return verdict === "faster" || verdict === "slower" || verdict === "same";
}

/**
 * The last judgement of a row that `forks` processes raced, whether or not all of them count. What the share of one look
 * decides is decided. If that is nothing, racing has ended all the same, because the time was up, and no look follows: the
 * shares of this one and of all that would have come are spent now.
 */
export function judgeLast(
  judgeAt: (confidence: number) => Judgement,
  strictness: Strictness,
  forks: number,
): Judgement {
  const judgement = judgeAt(confidenceOf(strictness));
  // A record that was looked at less often was so at the first of these.
  const left = LOOKS.slice(0, strictness.looks).filter((look) => look >= forks).length;
  return isDecided(judgement.verdict) || left <= 1 ? judgement : judgeAt(confidenceOf(strictness, left));
}

/** The last judgement of what was seen of two rows. */
export function judgeContrast(contrast: Contrast, strictness: Strictness): Judgement {
  const { floor, widest, raced } = contrast;
  const judgeAt = (confidence: number) => judgementOf(intervalOf(contrast, confidence), floor, widest);
  return judgeLast(judgeAt, strictness, raced);
}

/**
 * What two rows come to that were each compared with a baseline of their own: the difference of two means from different
 * processes, with the freedom after Welch and Satterthwaite, and the noise of both.
 */
export function differenceOf(one: Contrast, other: Contrast): Contrast {
  const squaredError = one.squaredError + other.squaredError;
  const spread = one.squaredError ** 2 / one.freedom + other.squaredError ** 2 / other.freedom;
  const freedom =
    spread === 0 ? one.freedom + other.freedom : Math.max(1, Math.floor(squaredError ** 2 / spread));
  return {
    middle: one.middle - other.middle,
    squaredError,
    freedom: one.freedom === 0 || other.freedom === 0 ? 0 : freedom,
    floor: (1 + one.floor) * (1 + other.floor) - 1,
    widest: Math.max(one.widest, other.widest),
    forks: Math.min(one.forks, other.forks),
    raced: Math.max(one.raced, other.raced),
  };
}

/** A row as it is judged: values of forks that count are logarithms of candidate / baseline. */
export interface Comparison {
  readonly values: Sample;
  /** The values of every other row of its group, the A/A control included: they show how much forks differ. */
  readonly peers: readonly Sample[];
  /** Noise floor of its group, as a share. */
  readonly floor: number;
}

export function judge({ values, peers, floor }: Comparison, confidence: number): Judgement {
  return judgementOf(estimateOf(values, peers, confidence), floor);
}

/**
 * A judgement from an estimate of the logarithm of a ratio. `widest` is the widest of the noise floors that `floor` is
 * made up of, where it is of several groups: they take the power each by itself.
 */
export function judgementOf({ middle, low, high }: Estimate, floor: number, widest = floor): Judgement {
  const ratio = { value: Math.exp(middle), low: Math.exp(low), high: Math.exp(high) };
  const reach = (high - low) / 2;
  return {
    ratio,
    verdict: verdictOn(ratio, floor, widest),
    halfWidth: Math.expm1(reach),
    sees: Math.expm1(reach + Math.log1p(floor)),
  };
}

/** More than this, as a logarithm, is no offset of the baseline's place in a round: something is wrong with the group. */
const MOST_OFFSET = Math.log1p(0.02);

/** What equals come to in a group. */
export interface Noise {
  /** By how much they differ beyond doubt, as a logarithm, which is no property of any of them; 0 where there is doubt. */
  readonly offset: number;
  /** How far they can differ beside that, as a share. */
  readonly floor: number;
}

/**
 * The noise of a group, by a 95 % interval of its A/A control's ratio, which is the baseline under another name. The
 * baseline runs between every two others, and was seen to be faster or slower than its equals by 0.2 to 1.5 % for that
 * alone, fork after fork. Where the interval shows such an offset every ratio of the group is taken from there, and the
 * floor is how far the interval reaches; where it does not, or shows a large one, the floor is its outer end. The
 * variance is the A/A control's own: forks of equals differ less than forks of others do.
 */
export function noiseOf(values: Sample): Noise {
  const { middle, low, high } = estimateOf(values, [], FLOOR_CONFIDENCE);
  const isOff = (low > 0 || high < 0) && Math.abs(middle) <= MOST_OFFSET;
  const reach = isOff ? (high - low) / 2 : Math.max(-low, high);
  return { offset: isOff ? middle : 0, floor: Math.max(LEAST_FLOOR, Math.expm1(reach)) };
}

/** An interval of a logarithm and its middle. Unbounded where nothing is known of how forks scatter. */
export interface Estimate extends Interval {
  readonly middle: number;
}

/**
 * The mean of the values of forks, with its t interval. The variance in it is moderated, as for many small samples side
 * by side (Smyth 2004, limma): the row's own and that of its `peers`, which ran in the same processes, weighted by
 * degrees of freedom. By itself a variance of two forks is worth next to nothing; by the peers' alone, a row that is
 * noisier than they are would be misjudged.
 */
export function estimateOf(values: Sample, peers: readonly Sample[], confidence: number): Estimate {
  return intervalOf(evidenceOf(values, peers), confidence);
}

/** What the values of forks tell of their mean, whatever the confidence. */
export type Evidence = Pick<Contrast, "middle" | "squaredError" | "freedom">;

export function evidenceOf(values: Sample, peers: readonly Sample[]): Evidence {
  const { variance, freedom } = moderatedVariance(values, peers);
  return { middle: mean(values), squaredError: variance / values.length, freedom };
}

export function intervalOf({ middle, squaredError, freedom }: Evidence, confidence: number): Estimate {
  if (freedom === 0) return { middle, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const reach = studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(squaredError);
  return { middle, low: middle - reach, high: middle + reach };
}

/** The variance of a row's values about their mean, moderated, and its degrees of freedom; none from a single fork. */
function moderatedVariance(values: Sample, peers: readonly Sample[]): Scatter {
  const own = scatterOf(values);
  const others = peers.map(scatterOf).filter(({ freedom, variance }) => freedom > 0 && variance > 0);
  if (own.freedom === 0 || others.length === 0) return own;
  // The middle one: one outlying peer says nothing of a calm row.
  const usual = median(others.map(({ variance, freedom }) => variance / medianOfVariance(freedom)));
  const borrowed = borrowedFreedom(own, others, usual);
  const freedom = own.freedom + borrowed;
  return {
    variance: (own.freedom * own.variance + borrowed * usual) / freedom,
    freedom: Math.max(1, Math.floor(freedom)),
  };
}

/** What a row takes from its peers counts at most so many times what it knows by itself: it may be unlike them. */
const MOST_BORROWED = 2;
/** A row whose variance is more than so many times the usual one is hardly like its peers, and takes less from them. */
const LIKELY_EXCESS = 2;
/** Of fewer rows nobody sees how much they differ, and so much is taken: rows of published groups allow as much. */
const FEWEST_TO_COMPARE = 6;
const USUALLY_BORROWED = 3;

/**
 * How many degrees of freedom a row may take from the variance of its peers: the most where the variances of all differ no
 * more than chance makes them, few where they differ much (Smyth 2004, section 6.2: by how their logarithms scatter); and
 * fewer where what the peers have in common is itself little known.
 */
function borrowedFreedom(own: Scatter, others: readonly Scatter[], usual: number): number {
  const known = others.reduce((sum, { freedom }) => sum + freedom, 0);
  const alike = 1 / (1 / alikeness([own, ...others]) + 1 / known);
  const isLike = Math.min(1, (LIKELY_EXCESS * usual) / own.variance);
  return isLike * Math.min(MOST_BORROWED * own.freedom, alike);
}

function alikeness(rows: readonly Scatter[]): number {
  const known = rows.filter(({ variance }) => variance > 0);
  if (known.length < FEWEST_TO_COMPARE) return USUALLY_BORROWED;
  const logs = known.map(({ variance, freedom }) => Math.log(variance / medianOfVariance(freedom)));
  const byChance = mean(known.map(({ freedom }) => trigamma(freedom / 2)));
  const beyondChance = standardDeviation(logs) ** 2 - byChance;
  return beyondChance > 0 ? 2 * trigammaInverse(beyondChance) : Number.POSITIVE_INFINITY;
}

/** The median of a variance that is estimated with so much freedom, over the true one (Wilson & Hilferty 1931). */
function medianOfVariance(freedom: number): number {
  return (1 - 2 / (9 * freedom)) ** 3;
}

interface Scatter {
  readonly variance: number;
  readonly freedom: number;
}

/** Variance of a row's values about their mean, and its degrees of freedom: none from less than two. */
function scatterOf(values: Sample): Scatter {
  if (values.length < 2) return { variance: 0, freedom: 0 };
  return { variance: standardDeviation(values) ** 2, freedom: values.length - 1 };
}

/**
 * A fork that lies further from the middle of its row is left out, if few do: V8 now and then compiles one crew
 * differently for the life of a process (one in twelve was at 1.5 times), and that is no noise that more forks average
 * away. As a logarithm; the scale is that of all rows of the group or, of a row that scatters more, its own.
 */
const LEAST_OUTLIER = Math.log(1.1);
const OUTLIER_SCALES = 6;
/** So many of a row's forks may be left out: none of three, where one that is left out leaves too little to judge by. */
const MOST_OUTLIERS = 1 / 4;

/** Which entries of a row count, of values that scatter by `scale`: all, or all but a few that lie far away. */
export function withoutOutliers(values: Sample, scale: number): readonly boolean[] {
  const middle = median(values);
  const limit = Math.max(LEAST_OUTLIER, OUTLIER_SCALES * Math.max(scale, robustScale([values])));
  const near = values.map((value) => Math.abs(value - middle) <= limit);
  const far = near.filter((isNear) => !isNear).length;
  return far <= MOST_OUTLIERS * values.length ? near : values.map(() => true);
}

/** A normal distribution's standard deviation over its median distance from the middle. */
const DEVIATION_OF_MEDIAN = 1.4826;

/**
 * How far the values of a group's forks lie from the middle of their row, as a standard deviation that outliers do not
 * move. Of n values the middle takes one degree of freedom.
 */
export function robustScale(rows: readonly Sample[]): number {
  const distances = rows.flatMap((values) => {
    if (values.length < 2) return [];
    const middle = median(values);
    const small = Math.sqrt(values.length / (values.length - 1));
    return values.map((value) => small * Math.abs(value - middle));
  });
  return distances.length === 0 ? 0 : DEVIATION_OF_MEDIAN * median(distances);
}

/**
 * `no power` where the widest floor is over 10 %: nothing was measured. Otherwise `faster` or `slower` if the interval lies
 * wholly outside 1 +- floor, `same` if wholly inside 1 +- 3 %, whatever the floor, and `cannot tell` if neither. The lower
 * bound is taken as 1 / (1 + x), so that swapping the two sides of a ratio swaps the verdict.
 */
export function verdictOn(
  { low, high }: Pick<Ratio, "low" | "high">,
  floor: number,
  widest = floor,
): Verdict {
  if (widest > POWERLESS_FLOOR) return "no power";
  if (high < 1 / (1 + floor)) return "faster";
  if (low > 1 + floor) return "slower";
  if (low >= 1 / (1 + SAME_WITHIN) && high <= 1 + SAME_WITHIN) return "same";
  return "cannot tell";
}
