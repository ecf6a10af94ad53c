/** Reports that were saved as JSON: which harness wrote one, and how two of them compare. */
import { USUAL_CLOCK_TICK } from "./clock.ts";
import { type Comparison, compare, type Estimate, SAME_WITHIN } from "./comparison.ts";
import type { Benchmark, HarnessRun, Statistic } from "./harness.ts";
import { type HarnessOptions, refuseWrongOptions } from "./harness-options.ts";
import { estimateOf, LEAST_SAMPLES, usualStatistic } from "./harness-results.ts";
import { NEAR_CLOCK_MARK, nearClockLine, statusOf, unitOfTimes } from "./harness-table.ts";
import { emphasized } from "./lab.ts";
import { fromMitata, type MitataResult, mitataRun } from "./mitata.ts";
import { formatPercent, formatRatio } from "./numbers.ts";
import { refuseResult } from "./shape.ts";
import { type Cell, type Column, NO_NUMBER, type Row, type Table } from "./table.ts";
import { fromTinybench, type TinybenchBench, tinybenchRun } from "./tinybench.ts";
import { TIME_UNITS } from "./units.ts";
import { fromVitest, type VitestReport, vitestRun } from "./vitest.ts";

/** What `compareReports` takes of the options of a table. */
export type ComparisonOptions = Pick<HarnessOptions, "title" | "timeUnit" | "statistic" | "clockTick">;

/**
 * The table of a report whose harness need not be known: what Vitest wrote, or the JSON of mitata's result or of
 * tinybench's `Bench`.
 *
 * @throws {TypeError} with one line, for any other value.
 * @throws {RangeError} with one line, for options that do not fit it.
 */
export function fromReport(report: unknown, options: HarnessOptions = {}): Table {
  switch (harnessOf("fromReport", report)) {
    case "mitata":
      return fromMitata(report as MitataResult, options);
    case "tinybench":
      return fromTinybench(report as TinybenchBench, options);
    default:
      return fromVitest(report as VitestReport, options);
  }
}

/**
 * What changed from one saved report to another of the same harness. It has a row for each benchmark, with the ratio of
 * the later figure to the earlier one. Benchmarks are the same if their group and name are, the n-th of a name being
 * that of the other. Each report is of one process or a few. Two runs of the same code differ by more than their
 * samples show: the table says so.
 *
 * @throws {TypeError} with one line, for a value that is no report, and for reports of two harnesses.
 * @throws {RangeError} with one line, for options that do not fit.
 */
export function compareReports(before: unknown, after: unknown, options: ComparisonOptions = {}): Table {
  const runs = [before, after].map(runOf);
  const [earlier, later] = runs as [HarnessRun, HarnessRun];
  if (earlier.harness !== later.harness) {
    throw new TypeError(
      `compareReports: the first report is of ${earlier.harness}, the second of ${later.harness}: give two of one harness`,
    );
  }
  refuseWrongOptions(later, options);
  const {
    statistic = usualStatistic(later.benchmarks),
    timeUnit = "auto",
    clockTick = USUAL_CLOCK_TICK,
  } = options;
  const pairs = pairsOf(earlier.benchmarks, later.benchmarks);
  const compared = comparisonsOf(pairs, statistic, clockTick);
  const all = [...later.benchmarks, ...earlier.benchmarks];
  const unit = timeUnit === "auto" ? unitOfTimes(all, statistic) : TIME_UNITS[timeUnit];
  const figure = (benchmark: Benchmark | undefined): Cell => {
    const value = benchmark?.timing?.[statistic];
    if (value === undefined) return null;
    return Number.isFinite(value) ? value / unit.size : NO_NUMBER;
  };
  const hasGroups = new Set(all.map(({ group }) => group)).size > 1;
  const statuses = pairs.map(statusOfPair);
  const hasStatus = statuses.some((status) => status !== null);
  const title = statistic === "mean" ? "Mean" : "Median";
  const time = { unit: `${unit.symbol}/op`, align: "right", foremost: true } as const;
  const columns: readonly Column[] = [
    { key: "benchmark", title: "Benchmark", align: "left" },
    ...(hasGroups ? [{ key: "group", title: "Group", align: "left" } as const] : []),
    { key: "before", title: `${title} before`, ...time },
    { key: "after", title: `${title} after`, ...time },
    { key: "ratio", title: `Ratio of ${statistic}s`, align: "right", foremost: true },
    { key: "verdict", title: "Verdict", align: "left", foremost: true },
    ...(hasStatus ? [{ key: "status", title: "Status", align: "left" } as const] : []),
  ];
  const rows = pairs.map((pair, index): Row => {
    const comparison = compared[index];
    const { name, group } = pair.after ?? pair.before!;
    const cells = {
      benchmark: name,
      ...(hasGroups ? { group: group ?? null } : {}),
      before: figure(pair.before),
      after: figure(pair.after),
      ratio: comparison === undefined ? null : formatRatio(comparison.ratio),
      verdict: comparison === undefined ? null : emphasized(comparison.verdict),
      ...(hasStatus ? { status: statuses[index]! } : {}),
    };
    return comparison?.isNearClock ? { cells, mark: NEAR_CLOCK_MARK } : { cells };
  });
  return {
    title: options.title ?? "Before and after",
    provenance: [["Harness", later.harness]],
    columns,
    rows,
    legend: [
      `Ratio is the ${statistic} after over the one before: above 1 is slower. Its interval follows from the samples of each ` +
        "report, 95% for all rows together. Two runs of the same code differ by more than that, because code is compiled " +
        "and memory is placed otherwise in another process: repeat both before a small difference is believed.",
      `Verdict is faster or slower where the interval lies wholly beyond ${formatPercent(SAME_WITHIN)}, same where it lies ` +
        `wholly within, and else cannot tell, as where either has fewer than ${LEAST_SAMPLES} samples.`,
      ...(rows.some(({ mark }) => mark !== undefined) ? [nearClockLine(clockTick)] : []),
    ],
  };
}

type Harness = "tinybench" | "mitata" | "vitest";

function harnessOf(caller: string, report: unknown): Harness {
  if (typeof report === "object" && report !== null) {
    if ("benchmarks" in report && "context" in report) return "mitata";
    if ("tasks" in report && "runtime" in report) return "tinybench";
    if ("files" in report || "testResults" in report) return "vitest";
  }
  return refuseResult(
    caller,
    "the JSON of vitest bench, of mitata's result, or of a Bench of tinybench",
    report,
  );
}

function runOf(report: unknown): HarnessRun {
  switch (harnessOf("compareReports", report)) {
    case "mitata":
      return mitataRun(report as MitataResult);
    case "tinybench":
      return tinybenchRun(report as TinybenchBench);
    default:
      return vitestRun(report as VitestReport);
  }
}

/** The same benchmark in two reports, or one that only one of them has. */
interface Pair {
  readonly before?: Benchmark | undefined;
  readonly after?: Benchmark | undefined;
}

/** In the order of the later report, with the benchmarks that are gone at the end. */
function pairsOf(before: readonly Benchmark[], after: readonly Benchmark[]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [key, benchmark] of keyed(after)) pairs.set(key, { after: benchmark });
  for (const [key, benchmark] of keyed(before)) pairs.set(key, { ...pairs.get(key), before: benchmark });
  return [...pairs.values()];
}

function keyed(benchmarks: readonly Benchmark[]): readonly (readonly [string, Benchmark])[] {
  const seen = new Map<string, number>();
  return benchmarks.map((benchmark) => {
    const name = JSON.stringify([benchmark.group ?? null, benchmark.name]);
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return [`${name} ${times}`, benchmark] as const;
  });
}

interface Compared extends Comparison {
  /** Whether the clock's own reading is a good part of both. */
  readonly isNearClock: boolean;
}

function comparisonsOf(
  pairs: readonly Pair[],
  statistic: Statistic,
  clockTick: number,
): readonly (Compared | undefined)[] {
  const of = (benchmark: Benchmark | undefined) => estimateOf(benchmark?.timing, statistic, clockTick);
  const estimates = pairs.map(({ before, after }): readonly Estimate[] =>
    [of(after), of(before)].filter((estimate) => estimate !== undefined),
  );
  const comparable = estimates.filter(({ length }) => length === 2).length;
  return estimates.map(([later, earlier]) => {
    if (later === undefined || earlier === undefined) return undefined;
    const isNearClock = later.isNearClock && earlier.isNearClock;
    return { ...compare(later, earlier, comparable), isNearClock };
  });
}

function statusOfPair({ before, after }: Pair): string | null {
  if (before === undefined) return "new";
  if (after === undefined) return "gone";
  const status = [before, after].map(statusOf).find((each) => each !== "completed");
  return status ?? null;
}
