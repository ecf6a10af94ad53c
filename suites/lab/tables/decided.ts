import type { Verdict } from "../../engine/judge/verdict.ts";
import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { median } from "../../engine/statistics.ts";
import { type Row, type Table, toMarkdown } from "../../reporter/src/index.ts";
import { left, right } from "./columns.ts";
import { foldedAway, withoutHeading } from "./markdown.ts";
import { workersText } from "./phrases.ts";

/** How many rows were decided, primitive by primitive. Pure. */

/** The newest races of a primitive. */
export interface Raced {
  readonly primitive: string;
  readonly races: readonly JudgedScenario[];
}

/** The judged rows that one row of the table counts, and what it calls them. */
interface Counted {
  readonly of: string;
  readonly rows: readonly Judged[];
}

interface Judged {
  readonly row: JudgedMeasured;
  readonly isOversubscribed: boolean;
}

/** How those are counted that are judged: faster and slower count together. */
const COLUMNS: readonly { key: string; title: string; verdicts: readonly Verdict[] }[] = [
  { key: "apart", title: "Faster or slower", verdicts: ["faster", "slower"] },
  { key: "same", title: "Same", verdicts: ["same"] },
  { key: "depends", title: "Depends", verdicts: ["depends"] },
  { key: "open", title: "Cannot tell", verdicts: ["cannot tell"] },
  { key: "powerless", title: "No power", verdicts: ["no power"] },
];
const JUDGED = COLUMNS.flatMap(({ verdicts }) => verdicts);

const INTRODUCTION = `## How much was decided

Rows of races by verdict, without A/A controls. Half width: how far the interval of a ratio reaches to one side, as the
median of the rows. With more workers than cores the scheduler decides which of them waits, and intervals are wider.

In the second edition (November 25, 2026, method 3) 55 % of all rows were faster or slower, 6 % the same, 25 % open and 13 %
without power. The half width was 7.2 % with one worker, 6.0 % with two and 17 % where they outnumbered the cores.
`;

/** Primitives without a row that was judged are left out. */
export function decidedText(raced: readonly Raced[]): string {
  const byPrimitive = raced.map(({ primitive, races }) => ({ primitive, rows: races.flatMap(judgedRows) }));
  const all = byPrimitive.flatMap(({ rows }) => rows);
  if (all.length === 0) return "";
  const ofAll: Counted[] = [
    { of: "all", rows: all },
    { of: "a core for each worker", rows: all.filter(({ isOversubscribed }) => !isOversubscribed) },
    { of: "oversubscribed", rows: all.filter(({ isOversubscribed }) => isOversubscribed) },
  ];
  return [
    INTRODUCTION,
    decidedTable(
      "Rows",
      ofAll.filter(({ rows }) => rows.length > 0),
    ),
    foldedAway("By primitive and workers", decidedTable("Primitive", byPrimitive.flatMap(byWorkers))),
  ].join("\n");
}

function byWorkers({
  primitive,
  rows,
}: {
  readonly primitive: string;
  readonly rows: readonly Judged[];
}): Counted[] {
  return [...Map.groupBy(rows, ({ row }) => row.workers)]
    .toSorted(([a], [b]) => a - b)
    .map(([workers, own]) => ({ of: `${primitive}, ${workersText(workers)}`, rows: own }));
}

function decidedTable(title: string, counted: readonly Counted[]): string {
  const table: Table = {
    title: "How much was decided",
    provenance: [],
    columns: [
      left("of", title),
      right("rows", "How many"),
      ...COLUMNS.map(({ key, title }) => right(key, title)),
      right("halfWidth", "Half width"),
    ],
    rows: counted.map(rowOf),
    legend: [],
  };
  return withoutHeading(toMarkdown(table));
}

function judgedRows({ rows, conditions }: JudgedScenario): Judged[] {
  const crowded = new Set(
    conditions.flatMap(({ workers, oversubscribed }) => (oversubscribed ? [workers] : [])),
  );
  return rows.flatMap((row) => {
    if (row.noNumber !== undefined || row.kind !== "rival") return [];
    const isJudged = JUDGED.some((one) => one === row.verdict);
    return isJudged ? [{ row, isOversubscribed: crowded.has(row.workers) }] : [];
  });
}

function rowOf({ of, rows }: Counted): Row {
  const counts = COLUMNS.map(({ key, verdicts }) => {
    const count = rows.filter(({ row }) => verdicts.some((one) => one === row.verdict)).length;
    return [key, `${count} (${((100 * count) / rows.length).toFixed(0)} %)`];
  });
  const halfWidth = percent(median(rows.flatMap(({ row }) => row.halfWidth ?? [])));
  return { cells: { of, rows: String(rows.length), ...Object.fromEntries(counts), halfWidth } };
}

/** `12 %`, and below ten with a digit more. */
function percent(share: number): string {
  const value = 100 * share;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}
