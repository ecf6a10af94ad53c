import { LEAST_FLOOR, POWERLESS_FLOOR } from "../judge/verdict.ts";
import { present } from "../words/present.ts";
import { FEWEST_VALUES, hiddenStep, judgeSeries, stepsAt, type TrackedNight } from "./alerts.ts";
import type { NamedSeries, SeriesPoint } from "./read-series.ts";

/** When series that other tools kept changed their level, by the arithmetic of a nightly run. */

/** Of the interval of a step. One that is no longer apart from 0 in it has been taken back by later points. */
const CONFIDENCE = 0.95;

export interface JudgedSeries {
  readonly name: string;
  readonly unit?: string;
  readonly isLargerBetter: boolean;
  /** What says so. */
  readonly directionBy: "option" | "file" | "unit" | "nothing";
  readonly points: number;
  readonly verdict: "steps" | "no step" | "cannot tell";
  /** Why there is no verdict. */
  readonly reason?: string;
  /** Without a step: the size of one in the middle, as a share, that noise would hide as often as not. */
  readonly hidden?: number;
  /** Oldest first. */
  readonly steps: readonly SeriesStep[];
}

export interface SeriesStep {
  /** Of the first point of the new level. */
  readonly at: string;
  readonly commit?: string;
  readonly index: number;
  /** New level / level before - 1, with its 95 % interval. */
  readonly change: number;
  readonly low: number;
  readonly high: number;
  readonly isWorse: boolean;
}

interface Judging {
  /** Newest points of each series that are judged. */
  readonly last: number;
  /** Of all series, whatever their unit. */
  readonly isLargerBetter?: boolean;
}

/** Judges each as one of that many: the chance of a false step in any is shared among all. */
export function judgeAll(all: readonly NamedSeries[], { last, isLargerBetter }: Judging): JudgedSeries[] {
  const reasons = all.map(({ points }) => reasonAgainst(points.slice(-last)));
  const count = reasons.filter((reason) => reason === undefined).length;
  return all.map((series, place) => {
    const points = series.points.slice(-last);
    const direction = directionOf(series, isLargerBetter);
    const { name, unit } = series;
    const own = { name, ...present({ unit }), ...direction, points: points.length };
    const reason = reasons[place];
    if (reason !== undefined) return { ...own, verdict: "cannot tell", reason, steps: [] };
    const values = points.map(({ value }) => Math.log(value));
    const nights = points.map(
      ({ at, commit = "" }, index): TrackedNight => ({
        at,
        commit,
        value: values[index]!,
        floor: LEAST_FLOOR,
      }),
    );
    // What an alert reported, and all points still show.
    const confirmed = judgeSeries(nights, () => count).changes.filter((change) => change.confirmed);
    const indexes = confirmed.map(({ night }) => night);
    const steps = stillApart(values, indexes).map(({ index, middle, low, high }): SeriesStep => {
      const { at, commit } = points[index]!;
      const [change, from, to] = [middle, low, high].map(Math.expm1) as [number, number, number];
      const isWorse = direction.isLargerBetter ? middle < 0 : middle > 0;
      return { at, ...present({ commit }), index, change, low: from, high: to, isWorse };
    });
    if (steps.length > 0) return { ...own, verdict: "steps", steps };
    const hidden = Math.max(LEAST_FLOOR, Math.expm1(hiddenStep(values, count)));
    if (hidden <= POWERLESS_FLOOR) return { ...own, verdict: "no step", hidden, steps };
    return {
      ...own,
      verdict: "cannot tell",
      reason: `its noise would hide a step of ${sizeOf(hidden)} in its middle`,
      steps,
    };
  });
}

/** Why a series cannot be judged; undefined where it can. */
function reasonAgainst(points: readonly SeriesPoint[]): string | undefined {
  if (points.length < FEWEST_VALUES) return `${FEWEST_VALUES} points are the fewest`;
  const wrong = points.find(({ value }) => value <= 0);
  return wrong === undefined
    ? undefined
    : `its value of ${wrong.at} is ${wrong.value}: ratios need values above 0`;
}

/** The steps at these indexes that all points together still bear out, with the levels between them. */
function stillApart(
  values: readonly number[],
  indexes: readonly number[],
): (ReturnType<typeof stepsAt>[number] & { readonly index: number })[] {
  const steps = stepsAt(values, indexes, CONFIDENCE);
  const kept = indexes.filter((_, step) => steps[step]!.low > 0 || steps[step]!.high < 0);
  if (kept.length < indexes.length) return stillApart(values, kept);
  return steps.map((step, place) => ({ ...step, index: indexes[place]! }));
}

const RATE =
  /\/\s*(ns|us|µs|μs|ms|s|secs?|seconds?|min|minutes?)\b|\b[kmg]?hz\b|\b(ops|rps|qps|fps)\b|throughput/i;
const COST =
  /^\s*(ns|us|µs|μs|ms|s|secs?|seconds?|min|minutes?|nanoseconds|microseconds|milliseconds|[kmg]?i?b|bytes)\b/i;

function directionOf({ unit, isLargerBetter }: NamedSeries, asked: boolean | undefined) {
  if (asked !== undefined) return { isLargerBetter: asked, directionBy: "option" } as const;
  if (isLargerBetter !== undefined) return { isLargerBetter, directionBy: "file" } as const;
  if (unit !== undefined && RATE.test(unit)) return { isLargerBetter: true, directionBy: "unit" } as const;
  const isKnown = unit !== undefined && COST.test(unit);
  return { isLargerBetter: false, directionBy: isKnown ? "unit" : "nothing" } as const;
}

export function textOf(all: readonly JudgedSeries[]): string {
  const countOf = (verdict: JudgedSeries["verdict"]) => all.filter((one) => one.verdict === verdict).length;
  const lines = all.flatMap((series) => [
    `${series.name} (${unitText(series)}), ${series.points} points: ${verdictText(series)}`,
    ...series.steps.map((step) => `  ${stepText(step)}`),
  ]);
  return `${lines.join("\n")}\n\n${all.length} series: ${countOf("steps")} with steps, ${countOf("no step")} without, ${countOf("cannot tell")} undecided.\n`;
}

function unitText({ unit, isLargerBetter, directionBy }: JudgedSeries): string {
  const better = `${isLargerBetter ? "larger" : "smaller"} is better`;
  return [
    ...(unit === undefined ? [] : [unit]),
    directionBy === "nothing" ? `assumed that ${better}` : better,
  ].join(", ");
}

function verdictText({ verdict, reason, hidden, steps }: JudgedSeries): string {
  if (verdict === "cannot tell") return `cannot tell, ${reason}`;
  if (verdict === "no step") return `no step; noise would hide one of ${sizeOf(hidden!)} in the middle`;
  return steps.length === 1 ? "1 step" : `${steps.length} steps`;
}

function stepText({ at, commit, change, low, high, isWorse }: SeriesStep): string {
  const where = commit === undefined ? at : `${at} (${commit.slice(0, 10)})`;
  return `${where}: ${signed(change)} [${signed(low)}, ${signed(high)}], ${isWorse ? "slower" : "faster"}`;
}

function sizeOf(share: number): string {
  return Number.isFinite(share) && share < 10 ? `${(100 * share).toFixed(1)} %` : "any size";
}

function signed(share: number): string {
  return `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
}
