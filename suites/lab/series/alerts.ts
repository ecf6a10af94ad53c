import { ascending, quantile, studentQuantile } from "../../engine/statistics.ts";
import { type ChangePoint, ChangePointSearch, MAX_P, WINDOW_LENGTH, withLevels } from "./change-points.ts";

/**
 * What nightly tracking says of a series. Change points are suspicions. The search picks the most different of all
 * splits and looks again every night. In 400 nights of mere noise nearly every series therefore has some. An alert
 * wakes a person, so it asks for more. The night's judgement is that of a reader who goes through the series from its
 * first night. The reader raises alerts as they come and takes each as the level from then on. So it is a function of
 * the series alone. No state is kept between nights. Each alert is raised on one night only, and is the same when it is
 * asked for later.
 */
export interface TrackedNight {
  /** When the night's record was begun, ISO 8601. */
  readonly at: string;
  readonly commit: string;
  /** Logarithm of the ratio to the baseline of its group: up is slower. */
  readonly value: number;
  /** The measured noise floor of its group that night, a share: 0.01 is 1 %. */
  readonly floor: number;
}

export interface LevelChange {
  /** Index, time and commit of the first night of the new level. */
  readonly night: number;
  readonly at: string;
  readonly commit: string;
  /** New level / level before: above 1 is slower. */
  readonly ratio: number;
  /** Whether an alert was raised for it, that night or before; if not, it is suspected. */
  readonly confirmed: boolean;
}

export interface Alert {
  readonly kind: "regression" | "improvement";
  /** Index, time and commit of the first night of the new level, as seen on the night of the alert. */
  readonly night: number;
  readonly at: string;
  readonly commit: string;
  /** The level that was known until then, a logarithm as the values are. */
  readonly before: number;
  /** New level / that one: above 1 is slower. */
  readonly ratio: number;
  /** Index of the night on which it was raised. */
  readonly raised: number;
}

export interface SeriesJudgement {
  /** All change points of the series, oldest first. */
  readonly changes: readonly LevelChange[];
  /** All alerts there ever were, oldest first. */
  readonly alerts: readonly Alert[];
  /** The one that the last night raised. */
  readonly alert?: Alert;
}

/** One outlying night is no news, whatever it shows. */
const LEAST_NIGHTS = 2;
/** Fewer nights than this may all or mostly be outliers by chance, and then their median is too. */
const LEVEL_NIGHTS = 7;
/** Part of a step beyond which three quarters of the nights of its level lie, if it is one. */
const LEAST_SHARE = 1 / 3;
/** Nights before the first alert, without which there is nothing to compare with. */
const LEAST_NIGHTS_BEFORE = 5;
/** Nights that it takes to know how far out nights get. */
const NIGHTS_TO_KNOW_OUTLIERS = 30;
/** How many times as far off as the night furthest out before each of a few nights must be to be believed at once. */
const BEYOND_FURTHEST = 1.5;
/** And how many times the usual scatter: nights before may have been lucky. */
const BEYOND_SCATTER = 10;
/** Where nights are too few to know how far out they get, a step has to be by half, which no outlier was seen to reach. */
const BEYOND_OUTLIERS = Math.log(1.5);
/** Standard errors by which nights may resemble the night before more than they showed. */
const MEMORY_ERRORS = 2;

/** The standard deviation of a normal distribution in terms of its interquartile range. */
const IQR_PER_DEVIATION = 1.349;
/** Variance of the median of many normal values over that of their mean. */
const MEDIAN_VARIANCE = Math.PI / 2;

/**
 * Judges one series, its nights oldest first. `seriesCountAt` is how many there were on the night of an index. With
 * today's count an alert would be raised later than it was, and so once more. Throws a RangeError for a value that is
 * not finite or a floor that is not a share.
 */
export function judgeSeries(
  points: readonly TrackedNight[],
  seriesCountAt: (night: number) => number = () => 1,
): SeriesJudgement {
  const wrong = points.findIndex(({ floor }) => !(floor >= 0 && floor < Number.POSITIVE_INFINITY));
  if (wrong >= 0)
    throw new RangeError(`floor ${wrong} is ${points[wrong]!.floor}: give the share that was measured`);
  const values = points.map(({ value }) => value);
  const search = new ChangePointSearch();
  const raised: Step[] = [];
  for (const [night, value] of values.entries()) {
    search.add(value);
    const step = newStep({
      points: points.slice(0, night + 1),
      values: values.slice(0, night + 1),
      splits: search.splits().map(({ index }) => index),
      raised,
      seriesCount: seriesCountAt(night),
    });
    if (step !== undefined) raised.push(step);
  }
  const changes = withLevels(values, search.splits());
  const confirmed = new Set(raised.map((step) => changeOf(step, changes)));
  const alerts = raised.map((step) => ({
    kind: step.logRatio > 0 ? ("regression" as const) : ("improvement" as const),
    ...placeOf(points, step.index, step.logRatio),
    before: step.before,
    raised: step.night,
  }));
  const newest = alerts.at(-1);
  return {
    changes: changes.map((change) => ({
      ...placeOf(points, change.index, change.after - change.before),
      confirmed: confirmed.has(change),
    })),
    alerts,
    ...(newest?.raised === points.length - 1 ? { alert: newest } : {}),
  };
}

/** A change as an alert sees it, with the levels that alerts reported. */
interface Step {
  readonly index: number;
  readonly before: number;
  readonly logRatio: number;
  readonly night: number;
}

/** What is known on a night. */
interface Known {
  /** Up to that night. */
  readonly points: readonly TrackedNight[];
  readonly values: readonly number[];
  /** Where the search sees change points. */
  readonly splits: readonly number[];
  /** The alerts so far. */
  readonly raised: readonly Step[];
  readonly seriesCount: number;
}

/**
 * The step that the last of these nights confirms, if any. Of the places where the level may have changed since the
 * last alert, it is the one that stands out most from the noise.
 */
function newStep(known: Known): Step | undefined {
  const { values, splits, raised } = known;
  const night = values.length - 1;
  const last = raised.at(-1);
  const first = last === undefined ? LEAST_NIGHTS_BEFORE : last.index + 1;
  // Nights since an alert have to confirm what it reported, even where the search sees no change.
  const places = last === undefined ? splits : new Set([...splits, last.night + 1]);
  let newest: Candidate | undefined;
  for (const index of places) {
    // Further back than a window, nothing is new but the way to read it.
    if (index < first || index <= night - WINDOW_LENGTH || index > night + 1 - LEAST_NIGHTS) continue;
    const step = stepAt(index, known);
    if (step !== undefined && step.excess > (newest?.excess ?? 1)) newest = step;
  }
  return newest;
}

interface Candidate extends Step {
  /** How many times as far from the known level as noise may be. */
  readonly excess: number;
}

/**
 * How the level since a night differs from the one that a reader knows; undefined if it does not, or too few nights say so.
 *
 * The known level is the one that the last alert reported, or that of the first nights. An alert is due where the
 * present level is another. It does not matter how soon after the last alert, or by how many small steps, it came to be
 * so. It is the median of all nights up to the alert's own, as reported, and of the later nights up to the next change
 * point.
 */
function stepAt(
  index: number,
  { points, values, splits, raised, seriesCount }: Known,
): Candidate | undefined {
  const last = raised.at(-1);
  const start = last?.index ?? 0;
  const reportedEnd = last === undefined ? 0 : last.night + 1;
  const next = splits.find((split) => split >= (last === undefined ? LEVEL_NIGHTS : reportedEnd));
  const knownEnd = Math.max(reportedEnd, Math.min(index, next ?? index));
  const before = middleOf(values.slice(start, knownEnd));
  const present = Float64Array.from(values.slice(index)).sort();
  const after = quantile(present, 0.5);
  const logRatio = after - before;
  const floor = middleOf(points.slice(start).map((point) => point.floor));
  if (Math.abs(logRatio) <= Math.log1p(floor)) return undefined;
  const direction = Math.sign(logRatio);
  // If half of the nights are outliers, the median is one, too.
  const nearer = quantile(present, direction > 0 ? 0.25 : 0.75) - before;
  if (direction * nearer < Math.abs(logRatio) * LEAST_SHARE) return undefined;
  const reportedStarts = [0, ...raised.map((step) => step.index), index];
  const deviations = deviationsFromLevels(values, levelStarts(reportedStarts, splits));
  const scatter = scatterOf(deviations);
  const areFew = index < NIGHTS_TO_KNOW_OUTLIERS;
  let beyond = 0;
  if (present.length < LEVEL_NIGHTS) {
    const nearest = Math.min(...present.map((value) => direction * (value - before)));
    const earlier = deviationsFromLevels(values, reportedStarts).slice(0, index);
    beyond = nearest / Math.max(furthestOut(earlier, scatter), areFew ? BEYOND_OUTLIERS : 0);
    if (beyond <= 1) return undefined;
  }
  // Soon after an alert a series is one of few: the series that had one.
  const among = last !== undefined && index < reportedEnd + WINDOW_LENGTH ? 1 : seriesCount;
  // All nights since the alert are more than the nights of the known level, and count for more if changes between are
  // noise.
  const excesses = [knownEnd, Math.max(reportedEnd, index)].map((end) => {
    const difference = direction * (after - middleOf(values.slice(start, end)));
    const nights = { before: end - start, after: present.length };
    // Nights that are all alike have no noise.
    return difference === 0 ? 0 : difference / noiseOf(deviations, scatter, nights, among);
  });
  // Of few nights the noise is hardly known, and a step by half is none.
  const excess = Math.max(...excesses, areFew ? beyond : 0);
  return { index, before, logRatio, night: values.length - 1, excess };
}

/**
 * Where levels begin that nights are noise about: at `certain`, and at every other split that leaves levels on both sides
 * enough nights. So a small step that no alert reported is not taken for noise, which would hide a large one behind it.
 * A few outlying nights in a row are not taken for a level, or they would no longer show how far out nights get.
 */
function levelStarts(certain: readonly number[], splits: readonly number[]): number[] {
  const starts = [...certain];
  for (const split of splits)
    if (starts.every((start) => Math.abs(split - start) >= LEVEL_NIGHTS)) starts.push(split);
  return starts.sort(ascending);
}

/**
 * What two or more nights in a row must each be beyond to be believed before they make a level. Outlying nights (a
 * neighbour on the machine, an update at night) are five or ten times further off than the rest. In 200 series two of
 * them in a row come every few weeks. No rule on averages can distinguish them from a step. But one that is beyond all
 * that the series has shown is worth the risk of two nights instead of seven.
 */
function furthestOut(deviations: readonly number[], scatter: number): number {
  const furthest = deviations.reduce((most, deviation) => Math.max(most, Math.abs(deviation)), 0);
  return Math.max(BEYOND_FURTHEST * furthest, BEYOND_SCATTER * scatter);
}

/**
 * How far apart two levels of some nights may be by noise alone. Learned from the series itself, like rustc-perf's
 * threshold, and by quartiles as there, so that outlying nights do not widen it. But Q3 + 3 IQR is for single results,
 * and levels are known the better the more nights they have. So it is the standard error of the difference of two
 * medians times Student's t. The largest p of a change point is shared among all series (Bonferroni) and the nights of
 * a window. Each of these nights looks at a step. Where a night resembles the one before, nights carry less information
 * than their number suggests. The variance is (1 + r) / (1 - r) times as large, for an autocorrelation r of the first
 * order. The degrees of freedom are as many times fewer.
 */
function noiseOf(
  deviations: readonly number[],
  scatter: number,
  nights: NightsOfLevels,
  seriesCount: number,
): number {
  const { error, freedom } = errorOf(deviations, scatter, nights);
  // studentQuantile ends at 1 - 1e-9.
  const p = Math.max(2e-9, MAX_P / (Math.max(1, seriesCount) * WINDOW_LENGTH));
  return studentQuantile(1 - p / 2, freedom) * error;
}

/** How many nights two levels have. */
interface NightsOfLevels {
  readonly before: number;
  readonly after: number;
}

/** The standard error of the difference of two medians, and its degrees of freedom, for nights with some memory. */
function errorOf(deviations: readonly number[], scatter: number, { before, after }: NightsOfLevels) {
  const memory = memoryOf(deviations, scatter);
  const inflation = (1 + memory) / (1 - memory);
  return {
    error: scatter * Math.sqrt(MEDIAN_VARIANCE * inflation * (1 / before + 1 / after)),
    freedom: Math.max(1, Math.floor(deviations.length / inflation) - 2),
  };
}

/** Of each value from the median of its level; levels begin at `starts`. */
function deviationsFromLevels(values: readonly number[], starts: readonly number[]): number[] {
  return starts.flatMap((start, level) => {
    const nights = values.slice(start, starts[level + 1]);
    const middle = middleOf(nights);
    return nights.map((value) => value - middle);
  });
}

/** The median. Sorts as numbers, without a comparison to call: every night sorts hundreds of nights, many times. */
function middleOf(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

function scatterOf(deviations: readonly number[]): number {
  const sorted = Float64Array.from(deviations).sort();
  return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / IQR_PER_DEVIATION;
}

/**
 * An autocorrelation of the first order that the true one hardly exceeds: of few nights it is poorly known,
 * and estimated too low. Outlying nights are cut to two and a half times the scatter, or one pair would outweigh the rest.
 */
function memoryOf(deviations: readonly number[], scatter: number): number {
  const cut = deviations.map((deviation) => Math.max(-2.5 * scatter, Math.min(2.5 * scatter, deviation)));
  let products = 0;
  let squares = 0;
  for (const [night, deviation] of cut.entries()) {
    squares += deviation ** 2;
    if (night > 0) products += deviation * cut[night - 1]!;
  }
  const seen = squares === 0 ? 0 : products / squares;
  return Math.max(0, Math.min(0.9, seen + MEMORY_ERRORS / Math.sqrt(cut.length)));
}

/** The change point that an alert was for, as later nights see it: the nearest in its direction, if there still is one. */
function changeOf(step: Step, changes: readonly ChangePoint[]): ChangePoint | undefined {
  const distance = ({ index }: ChangePoint) => Math.abs(index - step.index);
  return changes
    .filter((change) => Math.sign(change.after - change.before) === Math.sign(step.logRatio))
    .filter((change) => change.index <= step.night && distance(change) <= WINDOW_LENGTH / 2)
    .toSorted((a, b) => distance(a) - distance(b))[0];
}

function placeOf(points: readonly TrackedNight[], night: number, logRatio: number) {
  const { at, commit } = points[night]!;
  return { night, at, commit, ratio: Math.exp(logRatio) };
}
