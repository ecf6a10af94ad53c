/** What can be asked of the table of a harness's run. */
import { USUAL_CLOCK_TICK } from "./clock.ts";
import { type HarnessRun, isAboveZero, type Statistic } from "./harness.ts";
import { HARNESS_COLUMNS, type HarnessColumn } from "./harness-columns.ts";
import { ORDERS, type ResultOptions } from "./harness-results.ts";
import type { LabelledValue } from "./table.ts";
import { TIME_UNITS, type TimeUnit } from "./units.ts";

export interface HarnessOptions extends ResultOptions {
  /** Default: the name the harness knows for this run, or else the name of the harness. */
  readonly title?: string | undefined;
  /** Printed behind what the harness itself knows about its run. */
  readonly provenance?: readonly LabelledValue[] | undefined;
  /** One unit for all times of the table. Default `auto`: the one in which the figures that are compared are readable. */
  readonly timeUnit?: TimeUnit | "auto" | undefined;
  /** Which figure benchmarks are compared by: ratio, verdict and rank. Default: the median, where there are medians. */
  readonly statistic?: Statistic | undefined;
  /**
   * Which columns to print, in this order, behind the names; any that no row has a value for is left out. `short`: group,
   * rank, the figure that is compared, ratio and verdict. Default `all`.
   */
  readonly columns?: readonly HarnessColumn[] | "short" | "all" | undefined;
}

const STATISTICS: readonly Statistic[] = ["median", "mean"];

/** @throws {RangeError} with one line, for options that do not fit the run. */
export function refuseWrongOptions({ benchmarks }: HarnessRun, options: HarnessOptions): void {
  const {
    baseline,
    timeUnit = "auto",
    sort = "run",
    columns = "all",
    clockTick = USUAL_CLOCK_TICK,
  } = options;
  const names = benchmarks.map(({ name }) => name);
  if (baseline !== undefined) refuseUnlessOneOf("baseline", baseline, names);
  refuseUnlessOneOf("timeUnit", timeUnit, ["auto", ...Object.keys(TIME_UNITS)]);
  refuseUnlessOneOf("sort", sort, ORDERS);
  if (options.statistic !== undefined) refuseUnlessOneOf("statistic", options.statistic, STATISTICS);
  if (typeof columns === "string") refuseUnlessOneOf("columns", columns, ["all", "short"]);
  else for (const key of columns) refuseUnlessOneOf("columns", key, HARNESS_COLUMNS);
  if (!isAboveZero(clockTick))
    throw new RangeError(`clockTick: ${clockTick} is not above zero: give nanoseconds`);
}

function refuseUnlessOneOf(option: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new RangeError(`${option}: "${value}" is none of ${known.join(", ")}`);
}
