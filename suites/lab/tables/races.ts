import type { Verdict } from "../../engine/judge/verdict.ts";
import type { Conditions, JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import {
  type Column,
  formatNumber,
  formatRatio,
  type Rank,
  type Row,
  type Table,
} from "../../reporter/src/index.ts";
import {
  hasValues,
  type LabColumn,
  labCells,
  labColumns,
  type Shown,
  shownColumns,
} from "../../reporter/src/lab.ts";
import { asShown, shownRatio } from "../verdicts/another-run.ts";
import { ranksAmong } from "../verdicts/ranks.ts";
import type { Block } from "./blocks.ts";
import { asFactor, factorText } from "./factors.ts";
import { workersText } from "./phrases.ts";
import { absenceLines, circumstances, inBrief, instrumentsOf } from "./tables.ts";

/**
 * A race as its pages show it. It has a table of few columns for each worker count. The rows that do not compete have a
 * table of their own, and all other figures a third. Pure.
 */
export interface RaceTables {
  readonly workers: number;
  /** The rows that compete, the lowest ratio first; cells without a number are named below. */
  readonly rivals: Table;
  /** The rows for comparison: lower bounds, the oracle and the instruments; undefined if there are none. */
  readonly apart: Table | undefined;
  /** The columns that the other two lack, of the rows of both; undefined if no row has a number. */
  readonly rest: Table | undefined;
}

/** What the lab says today of a primitive's competitors, by their names. */
export interface Labels {
  /** The lower bounds, which do too little to be of use. */
  readonly lowerBounds: ReadonlySet<string>;
  /** The one that is slow and obviously right. */
  readonly oracle: string;
  /** The competitors that vary another in a detail. */
  readonly variants: ReadonlySet<string>;
  /** The competitors in WebAssembly, each with the one in JavaScript whose steps it takes. */
  readonly yardsticks: ReadonlyMap<string, string>;
}

type JudgedRow = JudgedScenario["rows"][number];

const REMARKED = "†";
/** In which places a column of the first table may be: a terminal has room for fewer beside one another. */
const IN_TERMINAL: ReadonlySet<Shown> = new Set(["all", "first"]);
const FIRST_TABLE = {
  page: new Set<Shown>([...IN_TERMINAL, "page"]),
  terminal: IN_TERMINAL,
  brief: IN_TERMINAL,
};
type Where = keyof typeof FIRST_TABLE;

/** The tables of each worker count, the fewest first. Without `labels` only A/A controls are known not to compete. */
export function raceTables(
  judged: JudgedScenario,
  labels: Labels | undefined,
  where: Where = "page",
): RaceTables[] {
  return judged.conditions
    .toSorted((a, b) => a.workers - b.workers)
    .map((conditions) => tablesAt(judged, conditions, labels, where));
}

function tablesAt(
  judged: JudgedScenario,
  conditions: Conditions,
  labels: Labels | undefined,
  where: Where,
): RaceTables {
  const { workers, oversubscribed } = conditions;
  const firstPlaces = FIRST_TABLE[where];
  const own = judged.rows.filter((row) => row.workers === workers);
  const measured = own.flatMap((row) => (row.noNumber === undefined ? [row] : []));
  const ranks = ranksOf(measured.filter((row) => apartAs(row, labels) === undefined));
  const rows = measured.toSorted(lowestRatioFirst).map((row) => ({ ...row, rank: ranks.get(row.cell) }));
  const title = oversubscribed ? `${workersText(workers)}, oversubscribed` : workersText(workers);
  const columns = shownColumns(raceColumns(judged), rows);
  const foremost = columns.filter(({ place }) => firstPlaces.has(place));
  const shown = rows.map((row) => ({
    row,
    as: apartAs(row, labels),
    cells: oversubscribed ? asFactor(withoutRemarks(foremost, row), row) : withoutRemarks(foremost, row),
  }));
  const apart = [
    ...shown
      .filter(({ as }) => as !== undefined)
      .map(({ row, as, cells }) => ({ ...cells, competitor: `${row.competitor} (${as})` })),
    ...instrumentsOf(conditions).map(({ name, ns }) => ({
      competitor: name,
      median: ns,
      verdict: "not judged",
    })),
  ];
  return {
    workers,
    rivals: tableOf(
      title,
      foremost,
      shown.filter(({ as }) => as === undefined).map(({ cells }) => cells),
      [
        ...numberlessLines(own),
        ...legendOf(foremost),
        ...crossingLines(judged, own),
        ...(rows.some(({ flags }) => flags.length > 0)
          ? [
              `${REMARKED} has a remark, which stands ${where === "brief" ? "in the page" : "beside the errors"}.`,
            ]
          : []),
        ...(where === "brief" ? inBrief(conditions) : circumstances(conditions)).map(
          (line) => `${line[0]!.toUpperCase()}${line.slice(1)}.`,
        ),
      ],
    ),
    apart:
      apart.length === 0
        ? undefined
        : tableOf(
            `Not competing, ${title}`,
            foremost.filter(({ key }) => key !== "rank"),
            apart,
          ),
    rest: restOf(
      columns.filter(({ place }) => place === "all" || !firstPlaces.has(place)),
      rows,
    ),
  };
}

/** A table of these columns; what else `cells` say is not in it. */
function tableOf(
  title: string,
  columns: readonly Column[],
  cells: readonly Row["cells"][],
  legend: readonly string[] = [],
): Table {
  const rows = cells.map((own) => ({
    cells: Object.fromEntries(columns.map(({ key }) => [key, own[key] ?? null])),
  }));
  return { title, provenance: [], columns, rows, legend };
}

/** How to read these columns. */
function legendOf(columns: readonly LabColumn[]): string[] {
  return columns.flatMap(({ legend }) => legend ?? []);
}

/** All columns of a race's tables. */
function raceColumns({ operation, columns }: JudgedScenario): LabColumn[] {
  const all = labColumns(`ns/${operation}`, columns);
  return all.toSpliced(
    all.findIndex(({ key }) => key === "error"),
    0,
    OWN_INTERVAL,
  );
}

/** Beside the errors of rows whose ratio has the interval for another run. */
const OWN_INTERVAL: LabColumn = {
  key: "inThisRun",
  title: "In this run",
  align: "right",
  place: "second",
  about: "intervals of this run",
  isOptional: true,
  value: (row) => ownIntervalOf(row as JudgedMeasured),
};

function ownIntervalOf({
  ratio,
  another,
  verdict,
  toBaseline,
  groups = [],
}: JudgedMeasured): string | undefined {
  if (ratio === undefined || another === undefined) return undefined;
  const own = verdict === DEPENDS ? groups.map((group) => group.ratio) : [ratio];
  return own.map(toBaseline?.ofProcesses === undefined ? formatRatio : factorText).join(" or ");
}

/** The ranks of the competing rows, role by role; none where fewer than two rows are judged. */
export function ranksOf(competing: readonly JudgedMeasured[]): ReadonlyMap<string, Rank> {
  const judged = competing.filter(
    ({ verdict, halfWidth }) => verdict === "baseline" || (verdict !== "no power" && halfWidth !== undefined),
  );
  const ranked = [...Map.groupBy(judged, ({ role }) => role).values()].filter((rows) => rows.length > 1);
  return new Map(
    ranked.flatMap((rows) =>
      [...ranksAmong(rows)].map(([cell, { rank, leads }]) => [cell, { place: rank, leads }] as const),
    ),
  );
}

/** By role; rows without a ratio behind the others, the fastest first. */
export function lowestRatioFirst(a: JudgedMeasured, b: JudgedMeasured): number {
  if (a.role !== b.role) return (a.role ?? "") < (b.role ?? "") ? -1 : 1;
  return placeOf(a) - placeOf(b) || a.median - b.median;
}

/** Infinities would leave two rows without a ratio unordered: their difference is no number. */
function placeOf({ ratio, verdict }: JudgedMeasured): number {
  return ratio?.value ?? (verdict === "baseline" ? 1 : Number.MAX_VALUE);
}

/** As what a row does not compete; undefined if it does. The baseline does, whatever else it is. */
export function apartAs({ kind, competitor }: JudgedRow, labels: Labels | undefined): string | undefined {
  if (kind === "aa-control") return "A/A control";
  if (kind === "baseline" || labels === undefined) return undefined;
  if (labels.lowerBounds.has(competitor)) return "lower bound";
  return competitor === labels.oracle ? "oracle" : undefined;
}

/**
 * A row's cells with a sign in place of the remarks, which stand in another table. One that depends has the ratios of both of
 * its groups.
 */
function withoutRemarks(columns: readonly LabColumn[], row: JudgedMeasured): Row["cells"] {
  const { verdict, ...rest } = labCells(columns, asShown(row));
  const isRemarked = row.flags.length > 0;
  return {
    ...rest,
    ...(row.verdict === DEPENDS ? cellsOfBoth(row.groups!) : {}),
    verdict: isRemarked ? `${verdict} ${REMARKED}` : verdict!,
  };
}

const DEPENDS: Verdict = "depends";

function cellsOfBoth(groups: NonNullable<JudgedMeasured["groups"]>): Row["cells"] {
  const medians = groups.flatMap(({ median }) => (median === undefined ? [] : formatNumber(median)));
  return {
    ...(medians.length === 0 ? {} : { median: medians.join(" or ") }),
    ratio: groups.map((group) => formatRatio(shownRatio(group))).join(" or "),
  };
}

/** One line for each reason to have no number. */
function numberlessLines(rows: readonly JudgedRow[]): string[] {
  const numberless = rows.flatMap(({ noNumber, ...row }) =>
    noNumber === undefined ? [] : [{ ...row, noNumber }],
  );
  return [...Map.groupBy(numberless, ({ noNumber }) => noNumber)].map(([reason, those]) => {
    const names = those.map(({ competitor, role }) =>
      role === undefined ? competitor : `${competitor} (${role})`,
    );
    return `No number, ${reason}: ${names.join(", ")}.`;
  });
}

/** Where crews of one group ran in several processes: how far apart those of one runtime are. */
function crossingLines({ runtimes = [] }: JudgedScenario, rows: readonly JudgedRow[]): string[] {
  if (runtimes.length < 2) return [];
  return rows.flatMap((row) => {
    if (row.kind !== "aa-control" || row.noNumber !== undefined || row.ratio === undefined) return [];
    const role = row.role === undefined ? "" : ` (${row.role})`;
    return `A/A control${role}: ${row.runtime} once more, in a process of its own, at ${formatRatio(row.ratio)} of the baseline.`;
  });
}

/** Its title, which it is printed without, says what is in it. */
function restOf(columns: readonly LabColumn[], rows: readonly JudgedMeasured[]): Table | undefined {
  if (rows.length === 0) return undefined;
  const shown = columns.filter((column) => column.place === "all" || hasValues(column, rows));
  const figures = shown.filter(({ place }) => place !== "all");
  const contents = new Set(figures.map(({ about, title }) => about ?? title.toLowerCase()));
  const title = [...contents].join(", ");
  return {
    ...tableOf(
      `${title[0]!.toUpperCase()}${title.slice(1)}`,
      shown,
      rows.map((row) => labCells(shown, row)),
      legendOf(shown),
    ),
    isContinuation: true,
  };
}

/** What its tables are headed: with the runtimes that it was raced on, where that is not the record's own. */
export function raceTitle({ primitive, scenario, title, runtimes = [] }: JudgedScenario): string {
  const on = runtimes.length === 0 ? "" : `, on ${runtimes.map(({ version }) => version).join(", ")}`;
  return `${primitive}/${scenario}: ${title}${on}`;
}

/** A race as its tables one after the other, which is how a terminal shows it. */
export function raceBlocks(judged: JudgedScenario, labels: Labels | undefined): Block[] {
  const absences = absenceLines(judged.absent);
  return [
    `**${raceTitle(judged)}**`,
    ...raceTables(judged, labels, "terminal").flatMap(({ rivals, apart, rest }) =>
      [rivals, apart, rest].filter((table) => table !== undefined),
    ),
    ...absences,
  ];
}

/** The result of a race where it says most: at the most workers that have a core each, or the fewest if none have. */
export interface RaceResult {
  readonly conditions: Conditions;
  /** What the workers did that this is of, where they differ. */
  readonly role: string | undefined;
  readonly baseline: string | undefined;
  /**
   * Of the competing rows that vary no other, the one with the lowest ratio, and behind it the ones that cannot be
   * distinguished from it. Empty if none has a number.
   */
  readonly leading: readonly JudgedMeasured[];
}

/** One for each role of the workers. */
export function raceResults(judged: JudgedScenario, labels: Labels | undefined): RaceResult[] {
  const conditions = referenceConditions(judged);
  const rows = judged.rows.filter(({ workers }) => workers === conditions.workers);
  const byRole = Map.groupBy(rows, ({ role }) => role);
  return [...byRole].map(([role, own]) => {
    const candidates = own.flatMap((row) =>
      row.noNumber !== undefined ||
      apartAs(row, labels) !== undefined ||
      labels?.variants.has(row.competitor) === true
        ? []
        : [row],
    );
    const baseline = own.find(({ kind }) => kind === "baseline")?.competitor;
    const ranks = ranksAmong(candidates);
    const leading = candidates.filter(({ cell }) => ranks.get(cell)!.leads).toSorted(lowestRatioFirst);
    return { conditions, role, baseline, leading };
  });
}

/** The rows at the most workers that had a core each; at the fewest if none had. */
export function referenceConditions({ conditions }: JudgedScenario): Conditions {
  const byWorkers = conditions.toSorted((a, b) => a.workers - b.workers);
  return byWorkers.findLast(({ oversubscribed }) => !oversubscribed) ?? byWorkers[0]!;
}
