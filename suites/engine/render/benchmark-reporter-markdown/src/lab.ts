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
  readonly error: number;
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
 * What a reader looks for stands first, where a narrow screen shows it: the name, the ratio and the verdict. Then
 * follow how fast, how sure it is and the benchmark's own columns. The baseline's name is bold.
 *
 * Columns that would say nothing are left out. These are workers if all rows have as many, and role, rank and forks if
 * no row has one. Fairness is left out if no row has more than one worker. Also overlap if it is 1.00 in all rows, and
 * remarks if no row has a flag.
 *
 * A figure that is not finite is `no number`. So is the whole row if its median is not: it has no rank and no verdict.
 *
 * @throws {RangeError} if a ratio or its lower end is negative, or its upper end below that, or a throughput is negative.
 *   Extra numbers without a column are refused by `toMarkdown`.
 */
export function fromLab(judged: JudgedTable): Table {
  const rows = judged.rows.map(withoutFalseNumbers);
  const columns = labColumns({ ...judged, rows });
  const shown = new Set(columns.map(({ key }) => key));
  return {
    title: judged.title,
    provenance: judged.provenance,
    columns,
    rows: rows.map((row) => rowOf(row, shown)),
    legend: judged.legend,
  };
}

function withoutFalseNumbers(row: JudgedRow): JudgedRow {
  if (row.noNumber !== undefined || Number.isFinite(row.median)) return row;
  const { competitor, workers, role } = row;
  return { competitor, workers, role, noNumber: `its median is ${row.median}` };
}

/** The columns that say something of any of these rows. */
export function labColumns(judged: Pick<JudgedTable, "unit" | "columns" | "rows">): Column[] {
  const { rows, unit } = judged;
  const measured = rows.filter((row) => row.noNumber === undefined);
  const foremost = true;
  const columns: Column[] = [{ key: "competitor", title: "Competitor", align: "left" }];
  if (new Set(rows.map((row) => row.workers)).size > 1) {
    columns.push({ key: "workers", title: "Workers", align: "right", foremost });
  }
  if (rows.some((row) => row.role !== undefined)) {
    columns.push({ key: "role", title: "Role", align: "left", foremost });
  }
  columns.push(
    { key: "ratio", title: "Ratio", align: "right", foremost },
    { key: "verdict", title: "Verdict", align: "left", foremost },
  );
  if (measured.some(({ rank }) => rank !== undefined)) {
    columns.push({ key: "rank", title: "Rank", align: "left", foremost });
  }
  columns.push(
    { key: "median", title: "Median", unit, align: "right", foremost },
    { key: "throughput", title: "Throughput", align: "right" },
  );
  if (measured.some(({ forks }) => forks !== undefined)) {
    columns.push({ key: "forks", title: "Forks", align: "right" });
  }
  columns.push(
    { key: "error", title: "Error", unit, align: "right" },
    { key: "stdDev", title: "StdDev", unit, align: "right" },
  );
  if (rows.some((row) => row.workers > 1))
    columns.push({ key: "fairness", title: "Fairness", align: "right" });
  if (measured.some(({ overlap }) => shareCell(overlap) !== shareCell(1))) {
    columns.push({ key: "overlap", title: "Overlap", align: "right" });
  }
  for (const column of judged.columns) columns.push({ ...column, key: extraKey(column.key), align: "right" });
  if (measured.some(({ flags }) => flags.length > 0)) {
    columns.push({ key: "remarks", title: "Remarks", align: "left" });
  }
  return columns;
}

/** Keeps a benchmark's own column from meeting one of ours: its `median` may be another median. */
function extraKey(key: string): string {
  return `extra.${key}`;
}

function rowOf(row: JudgedRow, shown: ReadonlySet<string>): Row {
  const optional = Object.entries(optionalCells(row)).filter(([key]) => shown.has(key));
  return { cells: { competitor: nameCell(row), ...Object.fromEntries(optional), ...resultCells(row) } };
}

/** All that a row says, by column key, for a table of some of the columns. */
export function labCells(row: JudgedRow): Row["cells"] {
  return { competitor: nameCell(row), ...optionalCells(row), ...resultCells(row) };
}

function shareCell(share: number): string {
  return Number.isFinite(share) ? formatShare(share) : NO_NUMBER;
}

function isBaseline(row: JudgedRow): boolean {
  return row.noNumber === undefined && row.verdict === "baseline";
}

function nameCell(row: JudgedRow): string {
  return isBaseline(row) ? `**${row.competitor}**` : row.competitor;
}

/** Cells of the columns that `fromLab` may have left out. */
function optionalCells(row: JudgedRow): Record<string, Cell> {
  const cells = { workers: row.workers, role: row.role ?? null };
  if (row.noNumber !== undefined) return cells;
  const remarks = row.flags.length === 0 ? null : row.flags.join(", ");
  return {
    ...cells,
    rank: row.rank === undefined ? null : `${row.rank.place}${row.rank.leads ? " +" : ""}`,
    forks: row.forks ?? null,
    fairness: shareCell(row.fairness),
    overlap: shareCell(row.overlap),
    remarks,
  };
}

function resultCells(row: JudgedRow): Record<string, Cell> {
  if (row.noNumber !== undefined) return { verdict: `no number: ${row.noNumber}` };
  const extra = Object.entries(row.extra).map(([key, value]) => [extraKey(key), value ?? null] as const);
  return {
    median: row.median,
    ratio: ratioCell(row),
    throughput: Number.isFinite(row.throughputPerSecond)
      ? formatThroughput(row.throughputPerSecond)
      : NO_NUMBER,
    verdict: verdictCell(row),
    error: row.error,
    stdDev: row.stdDev,
    ...Object.fromEntries(extra),
  };
}

function ratioCell(row: MeasuredRow): Cell {
  if (row.ratio !== undefined) {
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
  const isKnown = ratio === undefined || isIntervalKnown(ratio);
  if (verdict === "cannot tell" && sees !== undefined && isKnown)
    return `${verdict} (sees ${percentText(sees)})`;
  return emphasized(verdict);
}

/** Only a proved difference is bold, so that the eye finds it and nothing else. */
export function emphasized(verdict: string): string {
  return verdict === "faster" || verdict === "slower" ? `**${verdict}**` : verdict;
}

/** A share to two digits: a limit and no measurement. */
export function percentText(share: number): string {
  return `${formatNumber(Number((100 * share).toPrecision(2)), 3)} %`;
}
