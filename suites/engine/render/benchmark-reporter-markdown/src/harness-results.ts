/** A run's benchmarks beside each other: who is faster, which place that is, and the order they are printed in. */
import { FEW_TICKS, USUAL_CLOCK_TICK } from "./clock.ts";
import { type Comparison, compare, type Estimate, placeOf } from "./comparison.ts";
import { type Benchmark, finiteOrNull, isAboveZero, type Timing } from "./harness.ts";
import type { HarnessOptions, Order } from "./harness-options.ts";

/** A benchmark and what its table says of it beside its own figures. */
export interface Result extends Benchmark {
  /** Whether a good part of its samples is the clock's own reading. */
  readonly isNearClock: boolean;
  /** Among the benchmarks of its group; absent if it has no rival, or the error of its mean is not known. */
  readonly place?: number | undefined;
  /** With the baseline of its group, or that it is the baseline; absent without one. */
  readonly comparison?: Comparison | "baseline" | undefined;
}

/** All benchmarks by their groups, in these ordered as asked. */
export function resultsOf(benchmarks: readonly Benchmark[], options: HarnessOptions): readonly Result[] {
  const groups = inGroups(benchmarks);
  const pairs = pairsOf(groups);
  return groups.flatMap((group) => sorted(compared(group, options, pairs), options.sort ?? "run"));
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

/** Pairs within the groups, 1 at least: so many intervals may be looked at. */
function pairsOf(groups: readonly Group[]): number {
  let pairs = 0;
  for (const group of groups) {
    const rivals = group.filter(({ timing }) => isComparable(timing)).length;
    pairs += (rivals * (rivals - 1)) / 2;
  }
  return Math.max(1, pairs);
}

function compared(group: Group, options: HarnessOptions, pairs: number): readonly Result[] {
  const { clockTick = USUAL_CLOCK_TICK } = options;
  const estimates = group.map(({ timing }) => estimateOf(timing, clockTick));
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
  if (rivals.length < 2 || estimate.standardError === undefined) return undefined;
  return placeOf(estimate, rivals, pairs);
}

function comparisonWith(baseline: Estimate, estimate: Estimate, pairs: number): Result["comparison"] {
  return estimate === baseline ? "baseline" : compare(estimate, baseline, pairs);
}

function isComparable(timing: Timing | undefined): timing is Timing {
  return timing !== undefined && isAboveZero(timing.mean);
}

function estimateOf(timing: Timing | undefined, clockTick: number): Estimate | undefined {
  if (!isComparable(timing)) return undefined;
  const { mean, spread, samples = 1 } = timing;
  const standardError = spread?.standardError;
  return { mean, standardError, samples, isNearClock: isNearClock(timing, clockTick) };
}

/** Not known, and so no, where nobody says how many calls a sample has. */
function isNearClock(timing: Timing | undefined, clockTick: number): boolean {
  if (timing?.callsPerSample === undefined) return false;
  return timing.mean * timing.callsPerSample < FEW_TICKS * clockTick;
}

function sorted(results: readonly Result[], order: Order): readonly Result[] {
  if (order === "run") return results;
  if (order === "name") return results.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  const figure = ({ timing }: Result) => finiteOrNull(timing?.[order]) ?? Number.MAX_VALUE;
  return results.toSorted((a, b) => figure(a) - figure(b));
}
