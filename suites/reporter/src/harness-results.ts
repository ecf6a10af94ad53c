/** A run's benchmarks beside each other: which is faster, which place that is, and the order they are printed in. */
import { FEW_TICKS, USUAL_CLOCK_TICK } from "./clock.ts";
import { type Comparison, compare, type Estimate, isErrorKnown, placeOf } from "./comparison.ts";
import { type Benchmark, isAboveZero, type Statistic, type Timing } from "./harness.ts";

/** A benchmark and what its table says of it beside its own figures. */
export interface Result extends Benchmark {
  /** Whether a good part of its samples is the clock's own reading. */
  readonly isNearClock: boolean;
  /** Among the benchmarks of its group; absent if it has no rival, or the error of its mean is not known. */
  readonly place?: number | undefined;
  /** With the baseline of its group, or that it is the baseline; absent without one. */
  readonly comparison?: Comparison | "baseline" | undefined;
}

export const ORDERS = ["run", "mean", "median", "name"] as const;
export type Order = (typeof ORDERS)[number];

/** What can be asked of the results, whatever is shown of them. */
export interface ResultOptions {
  /** The benchmark that the others of its group are compared with. Default: mitata's own baseline, or none. */
  readonly baseline?: string | undefined;
  /**
   * Order of the rows, within their groups; rows without the figure that they are ordered by stand last. Default `run`:
   * as they ran.
   */
  readonly sort?: Order | undefined;
  /**
   * What two readings of the clock that was used differ by, one right after the other, in nanoseconds: see
   * `measureClockTick`. Default 40.
   */
  readonly clockTick?: number | undefined;
}

/** All benchmarks by their groups, in these ordered as asked. */
export function resultsOf(
  benchmarks: readonly Benchmark[],
  statistic: Statistic,
  options: ResultOptions,
): readonly Result[] {
  const groups = inGroups(benchmarks);
  const pairs = pairsOf(groups, statistic);
  return groups.flatMap((group) => sorted(compared(group, statistic, options, pairs), options.sort ?? "run"));
}

/** What a run is compared by unless it was asked otherwise: medians, which outliers do not move, where it has any. */
export function usualStatistic(benchmarks: readonly Benchmark[]): Statistic {
  const medians = benchmarks.map(({ timing }) => timing?.median);
  return medians.some((median) => median !== undefined && isAboveZero(median)) ? "median" : "mean";
}

type Group = readonly Benchmark[];

/** Benchmarks that compete with each other, in the order of their groups. */
function inGroups(benchmarks: readonly Benchmark[]): readonly Group[] {
  const groups = new Map<string | null, Benchmark[]>();
  for (const benchmark of benchmarks) {
    const name = benchmark.group ?? null;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [benchmark]);
    else group.push(benchmark);
  }
  return [...groups.values()];
}

/** Pairs within the groups, at least 1: a reader may look at an interval for each. */
function pairsOf(groups: readonly Group[], statistic: Statistic): number {
  let pairs = 0;
  for (const group of groups) {
    const rivals = group.filter(({ timing }) => isAboveZero(timing?.[statistic])).length;
    pairs += (rivals * (rivals - 1)) / 2;
  }
  return Math.max(1, pairs);
}

function compared(
  group: Group,
  statistic: Statistic,
  options: ResultOptions,
  pairs: number,
): readonly Result[] {
  const { clockTick = USUAL_CLOCK_TICK } = options;
  const estimates = group.map(({ timing }) => estimateOf(timing, statistic, clockTick));
  const rivals = estimates.filter((estimate) => estimate !== undefined);
  const isBaseline = ({ name, isBaseline }: Benchmark) =>
    options.baseline === undefined ? isBaseline : name === options.baseline;
  const baseline = estimates.find((estimate, index) => estimate !== undefined && isBaseline(group[index]!));
  return group.map((benchmark, index) => {
    const estimate = estimates[index];
    return {
      ...benchmark,
      isNearClock: isNearClock(benchmark.timing, clockTick),
      place: estimate && placeAmong(rivals, estimate, pairs),
      comparison: estimate && baseline && comparisonWith(baseline, estimate, pairs),
    };
  });
}

function placeAmong(rivals: readonly Estimate[], estimate: Estimate, pairs: number): Result["place"] {
  if (rivals.length < 2 || !isErrorKnown(estimate)) return undefined;
  return placeOf(estimate, rivals, pairs);
}

function comparisonWith(baseline: Estimate, estimate: Estimate, pairs: number): Result["comparison"] {
  return estimate === baseline ? "baseline" : compare(estimate, baseline, pairs);
}

/** Fewer samples than this say too little of how they are distributed for an interval. */
export const LEAST_SAMPLES = 10;

/** The fewest quantiles that must differ. With fewer, the clock's steps hide how samples are distributed. */
const LEAST_DISTINCT = 3;

/** The figure that a benchmark is compared by, with its error where the samples show it; undefined without a number. */
export function estimateOf(
  timing: Timing | undefined,
  statistic: Statistic,
  clockTick: number,
): Estimate | undefined {
  const value = timing?.[statistic];
  if (timing === undefined || !isAboveZero(value)) return undefined;
  const { samples = 1, min, median, p75, p99, p999, max, spread } = timing;
  const distinct = new Set([min, median, p75, p99, p999, max].filter(Number.isFinite)).size;
  const hasError = samples >= LEAST_SAMPLES && distinct >= LEAST_DISTINCT;
  const error = statistic === "mean" ? spread?.standardError : errorOfMedian(timing, clockTick);
  return {
    value,
    standardError: hasError && isAboveZero(error) ? error : undefined,
    samples,
    isNearClock: isNearClock(timing, clockTick),
  };
}

/**
 * The standard error of a median is 1 / (2 f sqrt n), with the density f of the samples there. A quarter of them lies
 * between it and the upper quartile. Times have a long tail upwards, so that the density is more than that rather than less.
 * Unlike a mean, a median is one reading of the clock, however many samples there are: it may be off by half a tick.
 */
function errorOfMedian(
  { median, p75, samples, callsPerSample = 1 }: Timing,
  clockTick: number,
): number | undefined {
  if (median === undefined || p75 === undefined || samples === undefined) return undefined;
  return Math.hypot((2 * (p75 - median)) / Math.sqrt(samples), clockTick / callsPerSample / Math.sqrt(12));
}

/** Not known, and so no, where the number of calls in a sample is unknown. */
function isNearClock(timing: Timing | undefined, clockTick: number): boolean {
  if (timing?.callsPerSample === undefined) return false;
  return timing.mean * timing.callsPerSample < FEW_TICKS * clockTick;
}

function sorted(results: readonly Result[], order: Order): readonly Result[] {
  if (order === "run") return results;
  if (order === "name") return results.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  const figure = ({ timing }: Result) => {
    const value = timing?.[order];
    return value !== undefined && Number.isFinite(value) ? value : Number.MAX_VALUE;
  };
  return results.toSorted((a, b) => figure(a) - figure(b));
}
