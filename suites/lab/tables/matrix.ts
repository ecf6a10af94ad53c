import { type Judgement, judgeContrast, type Strictness } from "../../engine/judge/verdict.ts";
import { scenarioOf } from "../../engine/measure/plan/plan.ts";
import type {
  Absent,
  Conditions,
  JudgedRow,
  JudgedScenario,
  RacedRuntime,
  Ratio,
} from "../../engine/schema/verdict.ts";
import { compare } from "../../engine/statistics.ts";
import { formatNumber, formatRatio, type Table } from "../../reporter/src/index.ts";
import { emphasized } from "../../reporter/src/lab.ts";
import { IN_THIS_RUN } from "../verdicts/another-run.ts";
import { left, right } from "./columns.ts";
import { unbroken } from "./markdown.ts";
import { rangeText, workersText } from "./phrases.ts";
import { apartAs, type Labels } from "./races.ts";
import { absenceLines } from "./tables.ts";

/**
 * A scenario on several runtimes as a matrix, competitor by runtime. A cell compares how long an operation takes there
 * with how long the same competitor takes on the first of them. Each row is a race of its own, of one competitor
 * against itself. All of them together are one table, and its intervals are as wide as in a table with all these rows.
 * Pure.
 */
export interface Matrix {
  readonly primitive: string;
  readonly scenario: string;
  readonly title: string;
  readonly operation: string;
  /** Ratios are to the first. */
  readonly runtimes: readonly [RacedRuntime, ...RacedRuntime[]];
  /** One for each worker count, and for each role there; the fewest workers first. */
  readonly panels: readonly MatrixPanel[];
}

export interface MatrixPanel {
  readonly title: string;
  /** The cheapest on the first runtime first. */
  readonly rows: readonly MatrixRow[];
}

export interface MatrixRow {
  readonly competitor: string;
  /** What an operation costs on the first runtime, ns. */
  readonly first: { readonly ns: number } | Missing;
  /** The first runtime once more, in a process of its own. */
  readonly control: MatrixCell;
  /** The other runtimes, in the matrix's order. */
  readonly others: readonly MatrixCell[];
}

export type MatrixCell =
  | (Pick<Judgement, "ratio"> & { readonly verdict: string; readonly reason?: undefined })
  | Missing;

/** What has no figure, and why. */
interface Missing {
  readonly reason: string;
}

/** A competitor's race against itself, at one worker count and in one role; without rows where it runs on one runtime alone. */
interface OwnRace {
  readonly competitor: string;
  readonly rows: readonly JudgedRow[];
}

/** Of the races of one scenario in one record; undefined where no competitor was raced on two runtimes. */
export function matrixOf(races: readonly JudgedScenario[]): Matrix | undefined {
  const across = races.filter(isAcross);
  const within = races.filter((judged) => judged.runtimes?.length === 1);
  // Cells with one runtime each stand in the order in which runtimes were asked for.
  const named = [...within, ...across].flatMap(({ runtimes = [] }) => runtimes);
  const [first, ...others] = new Map(named.map((runtime) => [runtime.name, runtime])).values();
  const [any] = across;
  if (any === undefined || first === undefined) return undefined;
  const { primitive, title, operation } = any;
  return {
    primitive,
    scenario: scenarioOf(any.scenario),
    title,
    operation,
    runtimes: [first, ...others],
    panels: panelsOf(across, within, [first, ...others]),
  };
}

/** Whether a race is of one competitor against itself on several runtimes. */
export function isAcross({ runtimes = [] }: JudgedScenario): boolean {
  return runtimes.length > 1;
}

/** The competitor whose race against itself this is: the text behind the scenario's name. */
export function competitorAcross({ scenario }: JudgedScenario): string {
  return scenario.slice(scenarioOf(scenario).length + 1);
}

/** Why a competitor is not raced on a runtime, by both, in whichever race that is said. */
function absencesOf(races: readonly JudgedScenario[]): ReadonlyMap<string, string> {
  return new Map(
    races.flatMap(({ runtimes = [], absent }) =>
      absent.flatMap(({ reason, competitors }) =>
        competitors.map((name) => {
          const [only] = runtimes;
          return [runtimes.length === 1 ? `${name}@${only!.name}` : name, reason] as const;
        }),
      ),
    ),
  );
}

function panelsOf(
  across: readonly JudgedScenario[],
  within: readonly JudgedScenario[],
  runtimes: Matrix["runtimes"],
): MatrixPanel[] {
  const rows = across.flatMap((judged) =>
    judged.rows.map((row) => ({ row, competitor: competitorAcross(judged) })),
  );
  const alone = within.flatMap((judged) => judged.rows.filter(({ kind }) => kind !== "aa-control"));
  const absences = absencesOf([...across, ...within]);
  const counts = [...Map.groupBy(rows, ({ row }) => row.workers)].toSorted(([a], [b]) => a - b);
  return counts.flatMap(([workers, own]) => {
    const conditions = across.flatMap((judged) => judged.conditions.filter((at) => at.workers === workers));
    const strictness = strictnessOf(conditions);
    return [...Map.groupBy(own, ({ row }) => row.role)].map(([role, those]) => {
      const races = Map.groupBy(those, ({ competitor }) => competitor);
      for (const row of alone) {
        if (row.workers === workers && row.role === role && !races.has(row.competitor))
          races.set(row.competitor, []);
      }
      return {
        title: titleAt(conditions, role),
        rows: [...races]
          .map(([competitor, of]) => ({ competitor, rows: of.map(({ row }) => row) }))
          .map((race) => rowOf(race, runtimes, absences, strictness))
          .toSorted((a, b) => compare(placeOf(a), placeOf(b)) || compare(a.competitor, b.competitor)),
      };
    });
  });
}

/** Of all rows of the table that a matrix is. */
function strictnessOf(conditions: readonly Conditions[]): Strictness {
  return {
    rows: conditions.reduce((sum, { judged }) => sum + judged, 0),
    looks: Math.max(...conditions.map(({ looks }) => looks)),
  };
}

function titleAt([conditions]: readonly Conditions[], role: string | undefined): string {
  const { workers, oversubscribed } = conditions!;
  return [
    workersText(workers),
    ...(role === undefined ? [] : [role]),
    ...(oversubscribed ? ["oversubscribed"] : []),
  ].join(", ");
}

function placeOf({ first }: MatrixRow): number {
  return "ns" in first ? first.ns : Number.POSITIVE_INFINITY;
}

function rowOf(
  { competitor, rows }: OwnRace,
  [first, ...others]: Matrix["runtimes"],
  absences: ReadonlyMap<string, string>,
  strictness: Strictness,
): MatrixRow {
  const baseline = rows.find(({ kind }) => kind === "baseline");
  // Where it does not run on the first runtime its race has another baseline, and ratios that do not belong here.
  const isToFirst = baseline?.runtime === first.name;
  const rivals = rows.filter(({ kind }) => kind !== "aa-control");
  const at = (runtime: RacedRuntime) => rivals.find((row) => row.runtime === runtime.name);
  const absence = ({ name }: RacedRuntime) => ({
    reason:
      absences.get(`${competitor}@${name}`) ??
      (rows.length === 0 ? "it runs on one of these runtimes alone" : "it was not raced"),
  });
  const cellOf = (row: JudgedRow | undefined, runtime: RacedRuntime): MatrixCell => {
    if (row === undefined) return absence(runtime);
    return isToFirst
      ? judgedCell(row, strictness)
      : { reason: `it does not run on ${first.name}, which ratios are to` };
  };
  const own = at(first);
  return {
    competitor,
    first: own === undefined ? absence(first) : costOf(own),
    control: cellOf(
      rows.find(({ kind }) => kind === "aa-control"),
      first,
    ),
    others: others.map((runtime) => cellOf(at(runtime), runtime)),
  };
}

function costOf(row: JudgedRow): MatrixRow["first"] {
  return row.noNumber === undefined ? { ns: row.median } : { reason: row.noNumber };
}

/** The A/A control, by which the others are judged, is shown as it is. */
function judgedCell(row: JudgedRow, strictness: Strictness): MatrixCell {
  if (row.noNumber !== undefined) return { reason: row.noNumber };
  if (row.toBaseline !== undefined && row.kind !== "aa-control")
    return judgeContrast(row.toBaseline, strictness);
  return row.ratio === undefined ? { reason: row.verdict } : { ratio: row.ratio, verdict: row.verdict };
}

/** Stands behind a ratio whose verdict is not that it is faster or slower. */
const SIGNS: Readonly<Record<string, string>> = {
  [`faster ${IN_THIS_RUN}`]: " !",
  [`slower ${IN_THIS_RUN}`]: " !",
  [`same ${IN_THIS_RUN}`]: " = !",
  same: " =",
  depends: " depends",
  "cannot tell": " ?",
  "no power": " no power",
};

/** A ratio, its interval, and a sign that says what it comes to where it is neither faster nor slower. */
export function cellTexts({ ratio, verdict }: { readonly ratio: Ratio; readonly verdict: string }) {
  const [value, interval] = formatRatio(ratio).split(" ") as [string, string];
  return { value, interval, sign: SIGNS[verdict] ?? "" };
}

/** A row of a table of ratios on each runtime: a competitor, or what does not compete. */
interface WithinRow {
  readonly name: string;
  readonly isApart: boolean;
  /** By runtime. */
  readonly rows: ReadonlyMap<string, JudgedRow>;
}

/** The races of each runtime side by side, a table for each worker count and role: ratios to the baseline of the same runtime. */
export function withinTables(races: readonly JudgedScenario[], labels: Labels | undefined): Table[] {
  const within = races.filter((judged) => !isAcross(judged));
  const runtimes = within.map(({ runtimes: [runtime] = [] }) => runtime!);
  const all = within.flatMap(({ rows }) => rows);
  const counts = [...Map.groupBy(all, ({ workers }) => workers)].toSorted(([a], [b]) => a - b);
  return counts.flatMap(([workers, own]) => {
    const conditions = within.flatMap((judged) => judged.conditions.filter((at) => at.workers === workers));
    return [...Map.groupBy(own, ({ role }) => role)].map(([role, those]) => ({
      title: titleAt(conditions, role),
      provenance: [],
      columns: [left("competitor", "Competitor"), ...runtimes.map(({ name }) => right(columnOf(name), name))],
      rows: withinRowsOf(those, runtimes[0]!, labels).map(({ name, rows }) => ({
        cells: {
          competitor: name,
          ...Object.fromEntries(
            [...rows].map(([runtime, row]) => [columnOf(runtime), withinCell(row, within[0]!.operation)]),
          ),
        },
      })),
      legend: [
        ...numberlessLines(those),
        ...absenceLines(absencesWithin(within)),
        `Noise floor: ${floorsText(within, workers)}.`,
      ],
    }));
  });
}

/** What is not there and why: by name where it is on no runtime, and else with the runtime that it is not on. */
function absencesWithin(within: readonly JudgedScenario[]): Absent {
  const absences = within.flatMap(({ absent, runtimes: [runtime] = [] }) =>
    absent.flatMap(({ reason, competitors }) =>
      competitors.map((name) => ({ reason, name, at: `${name}@${runtime!.name}` })),
    ),
  );
  return [...Map.groupBy(absences, ({ reason }) => reason)].map(([reason, those]) => ({
    reason,
    competitors: [...Map.groupBy(those, ({ name }) => name)].flatMap(([name, own]) =>
      own.length === within.length ? [name] : own.map(({ at }) => at),
    ),
  }));
}

/**
 * Competing rows first, each part in the order of the ratios on the first runtime; rows that were not raced there last.
 */
function withinRowsOf(
  rows: readonly JudgedRow[],
  first: RacedRuntime,
  labels: Labels | undefined,
): WithinRow[] {
  return [...Map.groupBy(rows, ({ competitor }) => competitor)]
    .map(([competitor, own]): WithinRow => {
      const as = apartAs(own[0]!, labels);
      const name = own[0]!.kind === "baseline" ? `**${competitor}**` : competitor;
      return {
        name: as === undefined ? name : `${competitor} (${as})`,
        isApart: as !== undefined,
        rows: new Map(own.map((row) => [row.runtime!, row])),
      };
    })
    .toSorted(
      (a, b) =>
        Number(a.isApart) - Number(b.isApart) ||
        compare(placeWithin(a.rows.get(first.name)), placeWithin(b.rows.get(first.name))),
    );
}

function placeWithin(row: JudgedRow | undefined): number {
  if (row === undefined || row.noNumber !== undefined) return Number.POSITIVE_INFINITY;
  return row.ratio?.value ?? 1;
}

function withinCell(row: JudgedRow, operation: string): string | null {
  if (row.noNumber !== undefined) return null;
  if (row.kind === "baseline") return unbroken(`${formatNumber(row.median)} ns/${operation}`);
  return row.ratio === undefined ? row.verdict : cellMarkdown({ ratio: row.ratio, verdict: row.verdict });
}

/** One line for each reason to have no number. */
function numberlessLines(rows: readonly JudgedRow[]): string[] {
  const numberless = rows.flatMap(({ noNumber, competitor, runtime }) =>
    noNumber === undefined ? [] : [{ name: `${competitor}@${runtime}`, noNumber }],
  );
  return [...Map.groupBy(numberless, ({ noNumber }) => noNumber)].map(
    ([reason, those]) => `No number, ${reason}: ${those.map(({ name }) => name).join(", ")}.`,
  );
}

function floorsText(within: readonly JudgedScenario[], workers: number): string {
  return within
    .flatMap(({ runtimes: [runtime] = [], conditions }) =>
      conditions
        .filter((at) => at.workers === workers)
        .map(({ floors }) => `${runtime!.name} ${rangeText(floors)}`),
    )
    .join("; ");
}

/** What the cells of a matrix show beside a ratio. */
export const SIGNS_LEGEND =
  "Bold: faster or slower. =: the same, within 3 %. !: in this run; the interval for another run does not bear it out. depends: processes fall into two groups that answer differently. ?: cannot tell. no power: as ?, beside a noise floor over 10 %. unknown: an interval that contains 1 and whose ends are over a hundred times apart.";

/** What all tables of matrices have in common, a line each. */
export function matrixLegend(runtimes: Matrix["runtimes"]): string[] {
  const [first] = runtimes;
  const inlining = runtimes.filter(({ engine }) => engine.startsWith("JavaScriptCore"));
  return [
    `Ratio: the time of an operation on a runtime over its time on ${first.name}, raced beside it; below 1 is faster. The interval is that of the verdict, widened for all cells of its table. So it is a little wider than in the competitor's own table.`,
    `${SIGNS_LEGEND} –: no figure; the reason is below the table.`,
    `A/A control: ${first.name} once more, in a process of its own. It shows how far apart equals are measured.`,
    ...inlining.map(
      ({ name }) =>
        `${name}: JavaScriptCore may compile a batch of operations into the loop that calls it; V8 is prevented from that. This saves one call for each batch, some 5 ns in 15 us. Where batches were kept apart there too, an operation took as long.`,
    ),
  ];
}

/** The tables of a matrix, one for each of its panels. */
export function matrixTables(matrix: Matrix): Table[] {
  const [first, ...others] = matrix.runtimes;
  return matrix.panels.map(({ title, rows }) => ({
    title,
    provenance: [],
    columns: [
      left("competitor", "Competitor"),
      right("first", first.name, `ns/${matrix.operation}`),
      ...others.map(({ name }) => right(columnOf(name), name)),
      right("control", "A/A control"),
    ],
    rows: rows.map((row) => ({
      cells: {
        competitor: row.competitor,
        first: "ns" in row.first ? row.first.ns : null,
        control: cellMarkdown(row.control),
        ...Object.fromEntries(
          row.others.map((cell, index) => [columnOf(others[index]!.name), cellMarkdown(cell)]),
        ),
      },
    })),
    legend: missingLines(matrix.runtimes, rows),
  }));
}

/** No runtime is named as another column is. */
function columnOf(runtime: string): string {
  return `on ${runtime}`;
}

/** In bold if it is faster or slower; null where there is no figure. */
export function cellMarkdown(cell: MatrixCell): string | null {
  if (cell.reason !== undefined) return null;
  const { value, interval, sign } = cellTexts(cell);
  const text = unbroken(`${value} ${interval}${sign}`);
  return emphasized(cell.verdict) === cell.verdict ? text : `**${text}**`;
}

/** One line for each reason to have no figure. */
export function missingLines([first, ...others]: Matrix["runtimes"], rows: readonly MatrixRow[]): string[] {
  const missing = rows.flatMap(({ competitor, first: cost, control, others: cells }) => [
    ...missingOf(`${competitor}@${first.name}`, cost),
    ...("ns" in cost ? missingOf(`${competitor}'s A/A control`, control) : []),
    ...cells.flatMap((cell, index) => missingOf(`${competitor}@${others[index]!.name}`, cell)),
  ]);
  return absenceLines(
    [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, those]) => ({
      reason,
      competitors: those.map(({ name }) => name),
    })),
  );
}

function missingOf(name: string, cell: MatrixRow["first"] | MatrixCell): { name: string; reason: string }[] {
  return "reason" in cell && cell.reason !== undefined ? [{ name, reason: cell.reason }] : [];
}
