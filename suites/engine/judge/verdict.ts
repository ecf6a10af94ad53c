import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import type { Contrast, Ratio } from "../schema/verdict.ts";
import {
  type Bounds,
  mean,
  median,
  type Sample,
  standardDeviation,
  studentQuantile,
  sum,
  trigamma,
  trigammaInverse,
} from "../statistics.ts";
import { present } from "../words/present.ts";

/**
 * Verdicts on ratios. All arithmetic is on logarithms, where twice as slow and twice as fast are equally far from
 * equal. What leaves this file is a ratio again.
 */
export type Verdict = "faster" | "slower" | "same" | "depends" | "cannot tell" | "no power";

export interface Judgement {
  readonly ratio: Ratio;
  readonly verdict: Verdict;
  /** How far the interval reaches to one side, as a share: 0.012 is 1.2 %. Infinite from a single fork. */
  readonly halfWidth: number;
  /** The least difference that would have been seen, as a share: half width and floor together. */
  readonly sees: number;
}

/** The highest probability of a false verdict on a row, and of one on any row of a table. */
export const ROW_ERROR = 0.004;
const TABLE_ERROR = 0.05;

/**
 * The numbers of forks, from FEWEST_FORKS to MOST_FORKS, after which the judge looks whether a row is decided. They are
 * close together where one more fork changes much. A row that is looked at more often has more chances to be misjudged.
 * So its error is spread evenly over the looks (see `confidenceOf`), and the shares of looks not taken are spent at the
 * end (see `judgeLast`).
 */
export const LOOKS: readonly number[] = [4, 6, 8, 12, 16, 24, 32, 48, 64];

export function isLook(forks: number): boolean {
  return LOOKS.includes(forks);
}

/** A floor is never taken to be lower than this: compiled code alone moves an otherwise equal crew by as much. */
export const LEAST_FLOOR = 0.003;

/** A row that stays open beside a floor above this was too noisy to judge. */
export const POWERLESS_FLOOR = 0.1;

/** Differences up to this are called the same when the noise allows to see that they are no larger. */
export const SAME_WITHIN = 0.03;

/** For a figure by itself, which no verdict rests on. */
export const FIGURE_CONFIDENCE = 0.99;

/** What a table requires of each of its rows: how many there are, and how often they were looked at during the race. */
export interface Strictness {
  readonly rows: number;
  readonly looks: number;
}

/**
 * The confidence of an interval of a table at one of its looks. The error is shared among the rows (Bonferroni), and
 * evenly among the looks. Equal shares are Pocock's boundary (Pocock 1977, Biometrika 64:191) with the union bound in
 * place of the joint distribution of the looks. This is an error-spending function after Lan & DeMets (1983, Biometrika
 * 70:659) that needs no model of how forks of one row hang together. It is a little wider, and true whatever that is.
 * `shares` is how many looks' shares are spent at once.
 */
export function confidenceOf({ rows, looks }: Strictness, shares = 1): number {
  return 1 - (shares * Math.min(ROW_ERROR, TABLE_ERROR / Math.max(1, rows))) / Math.max(1, looks);
}

/** Whether a verdict settles a row. */
export function isDecided(verdict: Verdict): boolean {
  return verdict === "faster" || verdict === "slower" || verdict === "same";
}

/**
 * The last judgement of a row that `forks` processes raced, whether or not all of them count, and its confidence. What the
 * share of one look decides stays decided. If it decides nothing, racing has still ended, because the time was up, and no
 * look follows. So the shares of this look and of all that would have come are spent now.
 */
function lastOf(
  judgeAt: (confidence: number) => Judgement,
  strictness: Strictness,
  forks: number,
): { readonly judgement: Judgement; readonly confidence: number } {
  const confidence = confidenceOf(strictness);
  const judgement = judgeAt(confidence);
  // A record with fewer looks had the first of these.
  const left = LOOKS.slice(0, strictness.looks).filter((look) => look >= forks).length;
  if (isDecided(judgement.verdict) || left <= 1) return { judgement, confidence };
  const last = confidenceOf(strictness, left);
  return { judgement: judgeAt(last), confidence: last };
}

export function judgeLast(
  judgeAt: (confidence: number) => Judgement,
  strictness: Strictness,
  forks: number,
): Judgement {
  return lastOf(judgeAt, strictness, forks).judgement;
}

/** The last judgement of what was seen of two rows. */
export function judgeContrast(contrast: Contrast, strictness: Strictness): Judgement {
  return judgeLast((confidence) => judgeAt(contrast, confidence), strictness, contrast.raced);
}

/**
 * A judgement of what was seen of two rows so far. Where their processes fall into two groups (see division.ts), its verdict is
 * what both groups say, and `depends` where they answer differently.
 */
export function judgeAt(contrast: Contrast, confidence: number): Judgement {
  const { floor, groups } = contrast;
  const judgement = judgementOf(intervalOf(contrast, confidence), floor);
  if (groups === undefined) return judgement;
  const [low, high] = groups.map((group) => judgementOf(intervalOf(group, confidence), floor));
  return { ...judgement, verdict: verdictOfGroups(low!, high!) ?? judgement.verdict };
}

/**
 * What either group of processes says, the lower ratio first, at the confidence of the rule that decided; undefined where
 * they are one group.
 */
export function ratiosOfGroups(contrast: Contrast, strictness: Strictness) {
  const { groups, floor, raced } = contrast;
  if (groups === undefined) return undefined;
  const { confidence } = lastOf((one) => judgeAt(contrast, one), strictness, raced);
  return groups.map((group) => ({
    ratio: judgementOf(intervalOf(group, confidence), floor).ratio,
    forks: group.forks,
  }));
}

/** What two groups of processes say together; undefined where neither has a verdict, or their intervals overlap. */
function verdictOfGroups(low: Judgement, high: Judgement): Verdict | undefined {
  if (!isDecided(low.verdict) && !isDecided(high.verdict)) return undefined;
  if (low.verdict === high.verdict) return low.verdict;
  return low.ratio.high < high.ratio.low ? "depends" : undefined;
}

/**
 * The contrast of two rows that were each compared with a baseline of their own. It is the difference of two means from
 * different processes, and has the noise of both.
 */
export function differenceOf(one: Contrast, other: Contrast): Contrast {
  return {
    middle: one.middle - other.middle,
    ...sumOfErrors(one, other),
    floor: (1 + one.floor) * (1 + other.floor) - 1,
    forks: Math.min(one.forks, other.forks),
    raced: Math.max(one.raced, other.raced),
  };
}

export type SquaredError = Pick<Evidence, "squaredError" | "freedom">;

/** Of errors that are independent, with the freedom after Welch and Satterthwaite; unknown where one is. */
export function sumOfErrors(...errors: readonly SquaredError[]): SquaredError {
  const squaredError = sum(errors.map((one) => one.squaredError));
  const spread = sum(errors.map((one) => one.squaredError ** 2 / one.freedom));
  const freedoms = errors.map((one) => one.freedom);
  const freedom = spread === 0 ? sum(freedoms) : Math.max(1, Math.floor(squaredError ** 2 / spread));
  return { squaredError, freedom: freedoms.includes(0) ? 0 : freedom };
}

/** A judgement from an estimate of the logarithm of a ratio. */
export function judgementOf({ middle, low, high }: Estimate, floor: number): Judgement {
  const ratio = { value: Math.exp(middle), low: Math.exp(low), high: Math.exp(high) };
  const reach = (high - low) / 2;
  return {
    ratio,
    verdict: verdictOn(ratio, floor),
    halfWidth: Math.expm1(reach),
    sees: Math.expm1(reach + Math.log1p(floor)),
  };
}

/**
 * The noise floor of a scenario, as a share: how far a baseline under another name strays from the baseline, beyond
 * chance. The intervals of rows already include chance. The floor is for what repeats in every process and so is in no
 * interval. `controls`: what each A/A control of all its groups and worker counts shows. One by itself would be luck, so
 * they are pooled as studies of a mean of 0 (DerSimonian & Laird 1986, Controlled Clinical Trials 7:177). Without an
 * error, of one process, its stray counts whole.
 */
export function floorOf(controls: readonly Evidence[]): number {
  const unknown = controls.filter(({ squaredError }) => squaredError === 0);
  const known = controls.filter(({ squaredError }) => squaredError > 0);
  const beyondChance = sum(known.map(({ middle, squaredError }) => middle ** 2 / squaredError - 1));
  const weights = sum(known.map(({ squaredError }) => 1 / squaredError));
  const pooled = weights === 0 ? 0 : Math.sqrt(Math.max(0, beyondChance / weights));
  const stray = Math.max(pooled, ...unknown.map(({ middle }) => Math.abs(middle)));
  return Math.max(LEAST_FLOOR, Math.expm1(stray));
}

/** An interval of a logarithm and its middle. Unbounded where too few forks say how they scatter. */
export interface Estimate extends Bounds {
  readonly middle: number;
}

/**
 * The mean of the values of forks, with its t interval. The variance in it is moderated, as for many small samples side
 * by side (Smyth 2004, limma). It is the row's own and that of its `peers`, which ran in the same processes, weighted
 * by degrees of freedom. By itself a variance of two forks is worth next to nothing. By the peers' alone, a row that is
 * noisier than they are would be misjudged.
 */
export function estimateOf(values: Sample, peers: readonly Sample[], confidence: number): Estimate {
  return intervalOf(evidenceOf(values, peers), confidence);
}

/** Of a positive figure of which too few forks say anything. */
export const UNBOUNDED: Bounds = { low: 0, high: Number.POSITIVE_INFINITY };

/** What the values of forks show about their mean, whatever the confidence. */
export type Evidence = Pick<Contrast, "middle" | "squaredError" | "freedom">;

/** `fewest`: a mean of fewer values has no interval, so that a lost process or two is no certainty. */
export function evidenceOf(values: Sample, peers: readonly Sample[], fewest = FEWEST_FORKS): Evidence {
  if (values.length < fewest) return { middle: mean(values), squaredError: 0, freedom: 0 };
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
  // The middle one: one outlying peer must not affect a calm row.
  const usual = median(others.map(({ variance, freedom }) => variance / medianOfVariance(freedom)));
  const borrowed = borrowedFreedom(own, others, usual);
  const freedom = own.freedom + borrowed;
  return {
    variance: (own.freedom * own.variance + borrowed * usual) / freedom,
    freedom: Math.max(1, Math.floor(freedom)),
  };
}

/** What a row takes from its peers counts at most this multiple of its own evidence: it may be unlike them. */
const MOST_BORROWED = 2;
/** A row whose variance is more than this multiple of the usual one is hardly like its peers, and takes less from them. */
const LIKELY_EXCESS = 2;
/** With fewer rows their differences cannot be judged, and this much is taken, as in published groups. */
const FEWEST_TO_COMPARE = 6;
const USUALLY_BORROWED = 3;

/**
 * How many degrees of freedom a row may take from the variance of its peers. It may take the most where the variances
 * of all differ no more than by chance, and few where they differ much. Their logarithms show by how much (Smyth 2004,
 * section 6.2). It may take fewer where what the peers have in common is itself little known.
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

/** The median of a variance that is estimated with this much freedom, over the true one (Wilson & Hilferty 1931). */
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
 * A process further than this from the middle of its row weighs nothing in the row's mean. V8 now and then compiles one
 * crew differently for the life of a process, by 4 to 50 %. As a logarithm; the scale is that of all rows of the group
 * or, of a row that scatters more, its own.
 */
const LEAST_OUTLIER = Math.log(1.01);
const OUTLIER_SCALES = 5;
/**
 * A row needs this many processes for each one that does not weigh. Of four or five all weigh. Otherwise three that
 * agree by luck would outvote the fourth of a crew with two levels. That gave 9 false verdicts in 100 such rows; this
 * rule gave 1.
 */
const PROCESSES_PER_OUTLIER = 6;

/** Which entries of a row weigh, given values that scatter by `scale`: all, or all but a few that lie far away. */
export function withoutOutliers(values: Sample, scale: number): readonly boolean[] {
  const middle = median(values);
  const limit = Math.max(LEAST_OUTLIER, OUTLIER_SCALES * Math.max(scale, robustScale([values])));
  const near = values.map((value) => Math.abs(value - middle) <= limit);
  const far = near.filter((isNear) => !isNear).length;
  return far <= Math.floor(values.length / PROCESSES_PER_OUTLIER) ? near : values.map(() => true);
}

/** The values that weigh. */
export function weighing(values: Sample, scale: number): Sample {
  const weighs = withoutOutliers(values, scale);
  return values.filter((_, place) => weighs[place]);
}

/**
 * Two groups of processes lie further apart than 10 %, and the gap between them is at least this multiple of the deviation
 * within them.
 */
export const LEAST_APART = Math.log(1.1);
export const GAP_DEVIATIONS = 5;

/** A normal distribution's standard deviation over its median distance from the middle. */
const DEVIATION_OF_MEDIAN = 1.4826;

/**
 * How far the values of a group's forks lie from the middle of their row, as a standard deviation that outliers do not
 * move. The middle takes one degree of freedom of n values.
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
 * `faster` or `slower` if the interval lies wholly outside 1 +- floor, however wide the floor; `same` if wholly inside 1 +- 3 %,
 * however wide the floor. What stays open is `no power` beside a floor over 10 %, and `cannot tell` beside a smaller one. The
 * lower bound is taken as 1 / (1 + x), so that swapping the two sides of a ratio swaps the verdict.
 */
export function verdictOn({ low, high }: Pick<Ratio, "low" | "high">, floor: number): Verdict {
  if (high < 1 / (1 + floor)) return "faster";
  if (low > 1 + floor) return "slower";
  if (low >= 1 / (1 + SAME_WITHIN) && high <= 1 + SAME_WITHIN) return "same";
  return floor > POWERLESS_FLOOR ? "no power" : "cannot tell";
}

/** What rows that cannot be compared with the baseline say in place of a verdict, as the judge does. */
export const NOTHING_TO_COMPARE = "no baseline to compare with";
/** The same of rows that have a ratio to it, where the A/A control has none: nothing says how far equals stray. */
export const NO_FLOOR = "no noise floor to judge by";

/**
 * With more workers than cores, how the scheduler gives cores in turn is a habit that lasts for minutes. Processes that race
 * one after another see one such regime, and their scatter says nothing of others.
 *
 * How far a ratio moves from regime to regime: the variance of its logarithm, and how well that is known. In published races
 * the same baseline differs by 7 % between groups of one table, which raced minutes apart, and a ratio has two such levels.
 */
export const REGIMES = { squaredError: Math.log(1.1) ** 2, freedom: 100 };

/** What processes of one regime show about a ratio in any. */
export function inAnyRegime<Seen extends Contrast>(seen: Seen): Seen {
  const groups = seen.groups?.map((group) => ({ ...group, ...widened(group) }));
  return { ...seen, ...widened(seen), ...present({ groups }) };
}

function widened({ squaredError, freedom }: Evidence): Pick<Contrast, keyof SquaredError | "ofProcesses"> {
  const ofProcesses = { squaredError, freedom };
  return { ...sumOfErrors(ofProcesses, REGIMES), ofProcesses };
}
