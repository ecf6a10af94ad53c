/** The table of a harness's run. */
import { FEW_TICKS, USUAL_CLOCK_TICK } from "./clock.ts";
import { SAME_WITHIN } from "./comparison.ts";
import type { HarnessRun, Statistic } from "./harness.ts";
import { filledColumn, HARNESS_COLUMNS, type HarnessColumn, shortColumns } from "./harness-columns.ts";
import { type HarnessOptions, refuseWrongOptions } from "./harness-options.ts";
import { LEAST_SAMPLES, type Result, resultsOf, usualStatistic } from "./harness-results.ts";
import { formatNumber, formatPercent, isIntervalKnown } from "./numbers.ts";
import { type Column, NO_NUMBER, type Row, type Table } from "./table.ts";
import { readableUnit, TIME_UNITS, type Unit } from "./units.ts";

const NAME = { key: "benchmark", title: "Benchmark", align: "left" } as const satisfies Column;
const STATUS = { key: "status", title: "Status", align: "left" } as const satisfies Column;
export const NEAR_CLOCK_MARK = "†";

/**
 * A row per benchmark. Its columns are the ones that some row has a value for, and the status, if some benchmark did
 * not complete.
 *
 * @throws {RangeError} with one line, for options that do not fit the run.
 */
export function harnessTable(run: HarnessRun, options: HarnessOptions): Table {
  refuseWrongOptions(run, options);
  const { columns = "all", timeUnit = "auto", clockTick = USUAL_CLOCK_TICK } = options;
  const statistic = options.statistic ?? usualStatistic(run.benchmarks);
  const results = resultsOf(run.benchmarks, statistic, options);
  const unit = timeUnit === "auto" ? unitOfTimes(results, statistic) : TIME_UNITS[timeUnit];
  const filled = columnKeys(columns, statistic)
    .map((key) => filledColumn(key, results, statistic, unit))
    .filter((column) => column !== undefined);
  const hasStatus = results.some((result) => statusOf(result) !== "completed");
  return {
    title: options.title ?? run.title ?? run.harness,
    provenance: [["Harness", run.harness], ...run.provenance, ...(options.provenance ?? [])],
    columns: [NAME, ...filled.map(({ column }) => column), ...(hasStatus ? [STATUS] : [])],
    rows: results.map((result, index): Row => {
      const { name, comparison, isNearClock } = result;
      const cells = {
        [NAME.key]: comparison === "baseline" ? `**${name}**` : name,
        ...Object.fromEntries(filled.map(({ column, cells }) => [column.key, cells[index]!])),
        ...(hasStatus ? { [STATUS.key]: statusOf(result) } : {}),
      };
      return isNearClock ? { cells, mark: NEAR_CLOCK_MARK } : { cells };
    }),
    legend: [
      run.sampling,
      ...columnLegend(new Set(filled.map(({ column }) => column.key)), statistic),
      ...resultLegend(results, clockTick),
    ],
  };
}

function columnKeys(
  columns: NonNullable<HarnessOptions["columns"]>,
  statistic: Statistic,
): readonly HarnessColumn[] {
  if (columns === "all") return HARNESS_COLUMNS;
  return columns === "short" ? shortColumns(statistic) : columns;
}

/** One unit for all times, that of the ranked benchmarks: figures of a row can be compared at a glance. */
export function unitOfTimes(results: readonly Pick<Result, "timing">[], statistic: Statistic): Unit {
  const figures = results.map(({ timing }) => timing?.[statistic] ?? Number.NaN);
  return readableUnit(figures.filter(Number.isFinite), Object.values(TIME_UNITS));
}

/** A benchmark may complete and still have no number. */
export function statusOf({ status, timing }: Pick<Result, "status" | "timing">): string {
  return status === "completed" && !Number.isFinite(timing?.mean) ? NO_NUMBER : status;
}

function columnLegend(columns: ReadonlySet<HarnessColumn>, statistic: Statistic): readonly string[] {
  const lines: readonly (readonly [HarnessColumn, string])[] = [
    [
      "error",
      "Error is half the 95% confidence interval of the mean over these samples. How processes differ from each " +
        "other is not in it.",
    ],
    [
      "ratio",
      `Ratio is the ${statistic} over that of the baseline, with an interval from the standard errors of both (delta ` +
        "method on the logarithm, 95% for all pairs of the table together). It takes the samples for independent and " +
        "speaks of this run alone: in another process the ratio may be another.",
    ],
    [
      "verdict",
      `Verdict is faster or slower where the interval lies wholly beyond ${formatPercent(SAME_WITHIN)}, same where ` +
        "it lies wholly within, and else cannot tell.",
    ],
    [
      "rank",
      "Rank is 1 + how many are faster, by more than their intervals and " +
        `${formatPercent(SAME_WITHIN)}, so that ties share a place.`,
    ],
    ["throughput", "Throughput is one over the mean."],
    ["heap", "Heap is the mean growth of the heap, over the samples during which it did not shrink."],
    ["gc", "GC is the mean time of the collection that was forced after each sample."],
  ];
  return lines.filter(([key]) => columns.has(key)).map(([, line]) => line);
}

function resultLegend(results: readonly Result[], clockTick: number): readonly string[] {
  const lines: string[] = [];
  if (results.some(isWithoutInterval)) {
    lines.push(
      `An interval is unknown where there are fewer than ${LEAST_SAMPLES} samples, or nobody says how many, where the clock ` +
        "shows too few different times, and where it has 1 in it and ends over 100 times apart.",
    );
  }
  if (results.some(({ isNearClock }) => isNearClock)) lines.push(nearClockLine(clockTick));
  return lines;
}

/** What the mark says. */
export function nearClockLine(clockTick: number): string {
  return (
    `${NEAR_CLOCK_MARK} A sample takes less than ${FEW_TICKS} ticks of the clock, ${formatNumber(clockTick)} ns each: ` +
    "a good part of it is the clock's own reading, and two such cannot be distinguished. Let one call do more."
  );
}

function isWithoutInterval({ comparison }: Result): boolean {
  return typeof comparison === "object" && !isIntervalKnown(comparison.ratio);
}
