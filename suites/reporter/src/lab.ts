/**
 * Judged results of a contention lab as a table. Here "judged" means that the statistics and the verdict exist already.
 * Several processes were measured, each competitor was compared with the baseline, and noise was ruled out or was not.
 * This adapter decides only what is shown and how it is worded.
 */
import {
  formatNumber,
  formatRatio,
  formatShare,
  formatThroughput,
  isIntervalKnown,
  type RatioInterval,
} from "./numbers.ts";
import { refuseMisshapen } from "./shape.ts";
import { type Cell, type Column, type LabelledValue, NO_NUMBER, type Row, type Table } from "./table.ts";

export interface JudgedTable {
  readonly title: string;
  readonly provenance: readonly LabelledValue[];
  /** Unit of median, error and standard deviation, such as `ns/op`. */
  readonly unit: string;
  /** Columns that only this kind of benchmark has; their numbers are in `MeasuredRow.extra`. */
  readonly columns: readonly JudgedColumn[];
  /** In the order they are to be printed. */
  readonly rows: readonly JudgedRow[];
  readonly legend: readonly string[];
}

export interface JudgedColumn {
  /** Names the column in `MeasuredRow.extra`. */
  readonly key: string;
  readonly title: string;
  readonly unit?: string | undefined;
  /** Default `second`. */
  readonly place?: Shown | undefined;
}

export type JudgedRow = MeasuredRow | NumberlessRow;

interface Contestant {
  readonly competitor: string;
  /** Threads that contended, 1 or more. */
  readonly workers: number;
  /** What the measured workers did where workers differ: `reader`, `writer`. */
  readonly role?: string | undefined;
}

export interface MeasuredRow extends Contestant {
  readonly noNumber?: undefined;
  /** In the table's unit, as are error and standard deviation. */
  readonly median: number;
  /** Undefined where too few processes show it. */
  readonly error?: number | undefined;
  readonly stdDev: number;
  /** Against the baseline; absent on the baseline itself. */
  readonly ratio?: RatioInterval | undefined;
  /** Operations per second over all workers. */
  readonly throughputPerSecond: number;
  /** Operations of the slowest worker over those of the fastest, 0 to 1. */
  readonly fairness: number;
  /** Share of the measured time in which all workers ran at once, 0 to 1. */
  readonly overlap: number;
  /** Processes that the row rests on. */
  readonly forks?: number | undefined;
  /** Where it stands among the rows that compete with it; absent where it does not compete, or nothing was decided. */
  readonly rank?: Rank | undefined;
  /** The least difference that would have been seen, as a share: printed behind `cannot tell`. */
  readonly sees?: number | undefined;
  /** Numbers of the table's own columns, by their key; a missing one is printed as no value. */
  readonly extra: Readonly<Record<string, number | undefined>>;
  /** `baseline`, `faster`, `slower`, `same`, `depends`, `cannot tell`, `no power` or `noise floor`. */
  readonly verdict: string;
  /** What changes how the row reads, such as `1 of 12 processes not averaged: at x1.50`; printed in a column of remarks. */
  readonly flags: readonly string[];
}

export interface Rank {
  /** 1 + the number that are shown to be faster, so that ties share a place. */
  readonly place: number;
  /** Whether it cannot be distinguished from the best; marked with a plus. */
  readonly leads: boolean;
}

/** A competitor that ran without earning a number: its work was not proved, or it did not finish. */
export interface NumberlessRow extends Contestant {
  /** The reason, printed in the verdict column. */
  readonly noNumber: string;
}

/**
 * In which tables of a race a column stands: in `all`, because it names the row; in the `first`; in the first where there is
 * room for it, as on a `page`, and else in the second; or in the `second`.
 */
export type Shown = "all" | "first" | "page" | "second";

/** All that there is to know of a column: whatever shows figures of races reads it here. */
export interface LabColumn extends Column {
  readonly place: Shown;
  /** What it holds, where several are named in a word each; else its title says it. */
  readonly about?: string;
  /** How to read it, in one sentence. */
  readonly legend?: string;
  /** Whether it is left out where no row has a value. */
  readonly isOptional?: boolean;
  /** Whether it says anything of these rows; it does if this is absent. */
  readonly isShown?: (rows: readonly JudgedRow[]) => boolean;
  /** What a row with a number says in it, figures in full. */
  readonly value: (row: MeasuredRow) => Cell | undefined;
  /** How a figure reads, if not as tables print numbers. */
  readonly text?: (figure: number) => string;
}

/**
 * All columns, in their order: what a reader looks for stands first, where a narrow screen shows it. `unit` is that of the
 * times; `own` are the columns that only this benchmark has.
 */
export function labColumns(unit: string, own: readonly JudgedColumn[]): LabColumn[] {
  const right = { align: "right" } as const;
  const name = { place: "all", foremost: true } as const;
  const first = { place: "first", foremost: true } as const;
  const error = { ...right, unit, place: "second", about: "errors" } as const;
  return [
    { key: "competitor", title: "Competitor", align: "left", place: "all", value: nameCell },
    {
      key: "workers",
      title: "Workers",
      ...right,
      ...name,
      isShown: differInWorkers,
      value: (row) => row.workers,
    },
    { key: "role", title: "Role", align: "left", ...name, isOptional: true, value: (row) => row.role },
    { key: "ratio", title: "Ratio", ...right, ...first, value: ratioCell },
    { key: "verdict", title: "Verdict", align: "left", ...first, value: verdictCell },
    {
      key: "rank",
      title: "Rank",
      align: "left",
      place: "page",
      foremost: true,
      isOptional: true,
      legend: "Leading group (+): cannot be distinguished from the lowest ratio.",
      value: rankCell,
    },
    { key: "median", title: "Median", unit, ...right, ...first, value: (row) => row.median },
    {
      key: "throughput",
      title: "Throughput",
      ...right,
      place: "page",
      value: (row) => row.throughputPerSecond,
      text: formatThroughput,
    },
    { key: "forks", title: "Forks", ...right, place: "page", isOptional: true, value: (row) => row.forks },
    { key: "error", title: "Error", ...error, value: (row) => row.error },
    { key: "stdDev", title: "StdDev", ...error, value: (row) => row.stdDev },
    {
      key: "fairness",
      title: "Fairness",
      ...right,
      place: "second",
      isShown: (rows) => rows.some(({ workers }) => workers > 1),
      value: (row) => row.fairness,
      text: formatShare,
    },
    {
      key: "overlap",
      title: "Overlap",
      ...right,
      place: "second",
      isShown: (rows) => rows.some((row) => row.noNumber === undefined && !isWhole(row.overlap)),
      value: (row) => row.overlap,
      text: formatShare,
    },
    ...own.map(ownColumn),
    {
      key: "remarks",
      title: "Remarks",
      align: "left",
      place: "second",
      isOptional: true,
      value: remarksCell,
    },
  ];
}

/** A column that only this benchmark has. */
function ownColumn({ key, title, unit, place = "second" }: JudgedColumn): LabColumn {
  const value = (row: MeasuredRow) => row.extra[key];
  return { key: extraKey(key), title, unit, align: "right", place, about: "counters", value };
}

function isWhole(share: number): boolean {
  return Number.isFinite(share) && formatShare(share) === formatShare(1);
}

function differInWorkers(rows: readonly JudgedRow[]): boolean {
  return new Set(rows.map(({ workers }) => workers)).size > 1;
}

/** Keeps a benchmark's own column from meeting one of ours: its `median` may be another median. */
function extraKey(key: string): string {
  return `extra.${key}`;
}

const EXPECTED = "a JudgedTable";
const SHAPE = {
  unit: "text",
  columns: [{ key: "text", title: "text" }],
  rows: [{ competitor: "text" }],
} as const;
const MEASURED = { verdict: "text", extra: {}, flags: ["text"], "ratio?": {} } as const;

/**
 * A table of all columns that say something of any of the rows. The baseline's name is bold.
 *
 * A figure that is not finite is `no number`. So is the whole row if its median is not: it has no rank and no verdict.
 *
 * @throws {TypeError} with one line, for a value that is no `JudgedTable`.
 * @throws {RangeError} if a ratio or its lower end is negative, or its upper end below that, or a throughput is negative.
 *   Extra numbers without a column are refused by `toMarkdown`.
 */
export function fromLab(judged: JudgedTable): Table {
  refuseMisshapen("fromLab", EXPECTED, judged, SHAPE);
  for (const row of judged.rows)
    if (row.noNumber === undefined) refuseMisshapen(`fromLab, ${row.competitor}`, EXPECTED, row, MEASURED);
  const rows = judged.rows.map(withoutFalseNumbers);
  const columns = shownColumns(labColumns(judged.unit, judged.columns), rows);
  return {
    title: judged.title,
    provenance: judged.provenance,
    columns: columns.map(({ key, title, unit, align, foremost }) => ({ key, title, unit, align, foremost })),
    rows: rows.map((row) => ({ cells: { ...extraCells(row), ...labCells(columns, row) } })),
    legend: judged.legend,
  };
}

function withoutFalseNumbers(row: JudgedRow): JudgedRow {
  if (row.noNumber !== undefined || Number.isFinite(row.median)) return row;
  const { competitor, workers, role } = row;
  return { competitor, workers, role, noNumber: `its median is ${row.median}` };
}

/** Those that say something of any of these rows. */
export function shownColumns(columns: readonly LabColumn[], rows: readonly JudgedRow[]): LabColumn[] {
  return columns.filter((column) =>
    column.isOptional ? hasValues(column, rows) : (column.isShown?.(rows) ?? true),
  );
}

/** Whether any of these rows has a value in it. */
export function hasValues(column: LabColumn, rows: readonly JudgedRow[]): boolean {
  return rows.some((row) => (labCells([column], row)[column.key] ?? null) !== null);
}

/** What a row says in these columns, by their keys. */
export function labCells(columns: readonly LabColumn[], row: JudgedRow): Row["cells"] {
  if (row.noNumber === undefined)
    return Object.fromEntries(columns.map((column) => [column.key, cellOf(column, row)]));
  const { competitor, workers, role = null, noNumber } = row;
  const cells: Row["cells"] = { competitor, workers, role, verdict: `no number: ${noNumber}` };
  const shown = columns.filter(({ key }) => Object.hasOwn(cells, key));
  return Object.fromEntries(shown.map(({ key }) => [key, cells[key]!]));
}

function cellOf({ value, text }: LabColumn, row: MeasuredRow): Cell {
  const said = value(row) ?? null;
  if (text === undefined || typeof said !== "number") return said;
  return Number.isFinite(said) ? text(said) : NO_NUMBER;
}

/** So that a number of which no column knows is noticed. */
function extraCells(row: JudgedRow): Row["cells"] {
  if (row.noNumber !== undefined) return {};
  return Object.fromEntries(Object.entries(row.extra).map(([key, value]) => [extraKey(key), value ?? null]));
}

function isBaseline({ verdict }: MeasuredRow): boolean {
  return verdict === "baseline";
}

function nameCell(row: MeasuredRow): string {
  return isBaseline(row) ? `**${row.competitor}**` : row.competitor;
}

function rankCell({ rank }: MeasuredRow): string | undefined {
  return rank && `${rank.place}${rank.leads ? " +" : ""}`;
}

function remarksCell({ flags }: MeasuredRow): string | undefined {
  return flags.length === 0 ? undefined : flags.join(", ");
}

function ratioCell(row: MeasuredRow): Cell {
  if (row.ratio != null) {
    const { value, low, high } = row.ratio;
    return [value, low].every(Number.isFinite) && !Number.isNaN(high) ? formatRatio(row.ratio) : NO_NUMBER;
  }
  return isBaseline(row) ? "1" : null;
}

/**
 * A verdict as a table shows it. Where it is undecided and its interval shows anything, with the difference that would
 * have been seen.
 */
export function verdictCell({
  verdict,
  sees,
  ratio,
}: Pick<MeasuredRow, "verdict" | "sees" | "ratio">): string {
  const isKnown = ratio == null || isIntervalKnown(ratio);
  if (verdict === "cannot tell" && sees !== undefined && isKnown)
    return `${verdict} (sees ${percentText(sees)})`;
  return emphasized(verdict);
}

/** Only a proved difference is bold, so that the eye finds it and nothing else; not what is said of it behind. */
export function emphasized(verdict: string): string {
  return verdict.replace(/^(faster|slower)(?=$| in this run$)/, "**$1**");
}

/** A share to two digits: a limit and no measurement. */
export function percentText(share: number): string {
  return `${formatNumber(Number((100 * share).toPrecision(2)), 3)} %`;
}
