/** The columns of a harness's table, and the units their figures are in. */
import { isAboveZero, type Statistic, type Timing } from "./harness.ts";
import type { Result } from "./harness-results.ts";
import { emphasized } from "./lab.ts";
import { formatRatio } from "./numbers.ts";
import { type Cell, type Column, NO_NUMBER } from "./table.ts";
import { MEMORY_UNITS, RATE_UNITS, readableUnit, type Unit } from "./units.ts";

interface ColumnKind {
  readonly title: string;
  readonly align: Column["align"];
  readonly foremost?: boolean;
  /** What its figures are, if they have a unit: kept in nanoseconds, bytes or operations per second. */
  readonly quantity?: "time" | "memory" | "rate";
  /** Whether its figures are of one call. */
  readonly isPerCall?: boolean;
  readonly cell: (result: Result) => Cell | undefined;
}

function timePerCall(title: string, figure: (timing: Timing) => number | undefined): ColumnKind {
  const cell = ({ timing }: Result) => timing && figure(timing);
  return { title, align: "right", quantity: "time", isPerCall: true, cell };
}

/** All that there are, in the order they stand in unless asked otherwise. */
const COLUMNS = {
  group: { title: "Group", align: "left", foremost: true, cell: ({ group }) => group },
  rank: { title: "Rank", align: "right", foremost: true, cell: ({ place }) => place },
  median: timePerCall("Median", ({ median }) => median),
  ratio: { title: "Ratio", align: "right", foremost: true, cell: ratioCell },
  verdict: { title: "Verdict", align: "left", foremost: true, cell: verdictCell },
  mean: timePerCall("Mean", ({ mean }) => mean),
  error: timePerCall("Error", ({ spread }) => spread?.marginOfError),
  p75: timePerCall("p75", ({ p75 }) => p75),
  p99: timePerCall("p99", ({ p99 }) => p99),
  p999: timePerCall("p999", ({ p999 }) => p999),
  min: timePerCall("Min", ({ min }) => min),
  max: timePerCall("Max", ({ max }) => max),
  stdDev: timePerCall("StdDev", ({ spread }) => spread?.standardDeviation),
  throughput: { title: "Throughput", align: "right", quantity: "rate", cell: throughputCell },
  heap: {
    title: "Heap",
    align: "right",
    quantity: "memory",
    isPerCall: true,
    cell: ({ timing }) => timing?.heap,
  },
  gc: { title: "GC", align: "right", quantity: "time", cell: ({ timing }) => timing?.gc },
  samples: { title: "Samples", align: "right", cell: ({ timing }) => timing?.samples },
  iterations: { title: "Iterations", align: "right", cell: ({ timing }) => timing?.iterations },
} as const satisfies Readonly<Record<string, ColumnKind>>;

export type HarnessColumn = keyof typeof COLUMNS;

export const HARNESS_COLUMNS = Object.keys(COLUMNS) as readonly HarnessColumn[];

/** What tells which is faster, and by how much. */
export function shortColumns(statistic: Statistic): readonly HarnessColumn[] {
  return ["group", "rank", statistic, "ratio", "verdict"];
}

function ratioCell({ comparison }: Result): Cell {
  if (comparison === undefined) return null;
  return comparison === "baseline" ? "1" : formatRatio(comparison.ratio);
}

function verdictCell({ comparison }: Result): Cell {
  if (comparison === undefined) return null;
  return comparison === "baseline" ? comparison : emphasized(comparison.verdict);
}

function throughputCell({ timing }: Result): Cell {
  if (timing === undefined || timing.isConcurrent || !isAboveZero(timing.mean)) return null;
  return 1e9 / timing.mean;
}

export interface FilledColumn {
  readonly column: Column & { readonly key: HarnessColumn };
  /** One for each result. */
  readonly cells: readonly Cell[];
}

/** A column with its cells; undefined if no result has a value for it. All times are in one unit. */
export function filledColumn(
  key: HarnessColumn,
  results: readonly Result[],
  statistic: Statistic,
  timeUnit: Unit,
): FilledColumn | undefined {
  const { title, align, foremost = false, quantity, isPerCall = false, cell }: ColumnKind = COLUMNS[key];
  const values = results.map((result): Cell => cell(result) ?? null);
  const figures = values.filter((value) => typeof value === "number").filter(Number.isFinite);
  if (figures.length === 0 && values.every((value) => typeof value !== "string")) return undefined;
  const column = {
    key,
    title: key === "ratio" ? `Ratio of ${statistic}s` : title,
    align,
    foremost: foremost || key === statistic,
  };
  const unit = quantity === undefined ? undefined : unitOf(quantity, figures, timeUnit);
  return {
    column: unit === undefined ? column : { ...column, unit: isPerCall ? `${unit.symbol}/op` : unit.symbol },
    cells: values.map((value) => {
      if (typeof value !== "number") return value;
      return Number.isFinite(value) ? value / (unit?.size ?? 1) : NO_NUMBER;
    }),
  };
}

function unitOf(quantity: "time" | "memory" | "rate", figures: readonly number[], timeUnit: Unit): Unit {
  if (quantity === "time") return timeUnit;
  return readableUnit(figures, quantity === "memory" ? MEMORY_UNITS : RATE_UNITS);
}
