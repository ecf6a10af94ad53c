/** The columns of a harness's table, and the units their figures are in. */
import { finiteOrNull, isAboveZero, type Timing } from "./harness.ts";
import type { Result } from "./harness-results.ts";
import { emphasized } from "./lab.ts";
import { formatRatio, formatThroughput } from "./numbers.ts";
import type { Cell, Column } from "./table.ts";
import { MEMORY_UNITS, readableUnit, TIME_UNITS, type TimeUnit, type Unit } from "./units.ts";

interface ColumnKind {
  readonly title: string;
  readonly align: Column["align"];
  readonly foremost?: boolean;
  /** What its figures are, if they have a unit: kept in nanoseconds or bytes. */
  readonly quantity?: "time" | "memory";
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
  mean: { ...timePerCall("Mean", ({ mean }) => mean), foremost: true },
  error: timePerCall("Error", ({ spread }) => spread?.marginOfError),
  ratio: { title: "Ratio", align: "right", foremost: true, cell: ratioCell },
  verdict: { title: "Verdict", align: "left", foremost: true, cell: verdictCell },
  median: timePerCall("Median", ({ median }) => median),
  p75: timePerCall("p75", ({ p75 }) => p75),
  p99: timePerCall("p99", ({ p99 }) => p99),
  p999: timePerCall("p999", ({ p999 }) => p999),
  min: timePerCall("Min", ({ min }) => min),
  max: timePerCall("Max", ({ max }) => max),
  stdDev: timePerCall("StdDev", ({ spread }) => spread?.standardDeviation),
  throughput: { title: "Throughput", align: "right", cell: throughputCell },
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
  return formatThroughput(1e9 / timing.mean);
}

export interface FilledColumn {
  readonly column: Column & { readonly key: HarnessColumn };
  /** One for each result. */
  readonly cells: readonly Cell[];
}

/** A column with its cells; undefined if no result has a value for it. */
export function filledColumn(
  key: HarnessColumn,
  results: readonly Result[],
  timeUnit: TimeUnit | "auto",
): FilledColumn | undefined {
  const { title, align, foremost = false, quantity, isPerCall = false, cell }: ColumnKind = COLUMNS[key];
  const cells = results.map((result): Cell => {
    const value = cell(result) ?? null;
    return typeof value === "number" ? finiteOrNull(value) : value;
  });
  if (cells.every((value) => value === null)) return undefined;
  const column = { key, title, align, foremost };
  if (quantity === undefined) return { column, cells };
  const figures = cells.filter((value) => typeof value === "number");
  const { symbol, size } = unitOf(quantity, figures, timeUnit);
  return {
    column: { ...column, unit: isPerCall ? `${symbol}/op` : symbol },
    cells: cells.map((value) => (typeof value === "number" ? value / size : value)),
  };
}

function unitOf(quantity: "time" | "memory", figures: readonly number[], timeUnit: TimeUnit | "auto"): Unit {
  if (quantity === "memory") return readableUnit(figures, MEMORY_UNITS);
  return timeUnit === "auto" ? readableUnit(figures, Object.values(TIME_UNITS)) : TIME_UNITS[timeUnit];
}
