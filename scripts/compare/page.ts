// By path, not by its package name: the package is built when it is installed, and a table must show today's source.

import { EXIT } from "../../suites/lab/command/usage.ts";
import { type Block, blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import { formatPercent, formatRatio, type LabelledValue } from "../../suites/reporter/src/index.ts";
import type { MeasuredRow, Row } from "./judge.ts";

/** A comparison as text, and as an exit code. Pure. */
export interface Comparison {
  /** What stands against what, for the heading: `1a2b3c4 -> working-tree`. */
  readonly title: string;
  /** Why the two should not have been compared, where that was forced. */
  readonly forced: readonly string[];
  readonly provenance: readonly LabelledValue[];
  readonly rows: readonly Row[];
  /** What was left out and what else must be known, for under the table. */
  readonly notes: readonly string[];
}

const KINDS = [
  "slower",
  "faster",
  "same",
  "cannot tell",
  "depends",
  "no power",
  "not judged",
  "no number",
] as const;
/** The kinds that the sum names even where there are none. */
const ALWAYS_SHOWN: readonly string[] = KINDS.slice(0, 4);
/** The order of rows: what asks for something first. */
const ORDER: readonly string[] = [
  "slower",
  "depends",
  "cannot tell",
  "no power",
  "same",
  "faster",
  "not judged",
  "no number",
];

type Kind = (typeof KINDS)[number];

function kindOf(row: Row): Kind {
  return row.noNumber === undefined ? row.verdict : "no number";
}

/** `1 slower, 0 faster, 3 same, 0 cannot tell of 4`; other kinds only where there are some. */
export function summaryOf({ rows, forced }: Comparison): string {
  const counts = KINDS.map((kind) => ({ kind, count: rows.filter((row) => kindOf(row) === kind).length }));
  const shown = counts.filter(({ kind, count }) => count > 0 || ALWAYS_SHOWN.includes(kind));
  const sentence = `${shown.map(({ kind, count }) => `${count} ${kind}`).join(", ")} of ${rows.length}`;
  return forced.length === 0 ? sentence : `forced: ${forced.join("; ")}. ${sentence}`;
}

/** The whole of it as a page: the summary as first line, the table, and what must be known beside it. */
export function comparisonText(comparison: Comparison): string {
  return blocksMarkdown(comparisonBlocks(comparison));
}

/** The same for pages and terminals. */
export function comparisonBlocks(comparison: Comparison): Block[] {
  const { title, forced, provenance, rows, notes } = comparison;
  const sorted = rows.toSorted(
    (a, b) => ORDER.indexOf(kindOf(a)) - ORDER.indexOf(kindOf(b)) || ratioOf(b) - ratioOf(a),
  );
  const table = {
    title: forced.length === 0 ? title : `${title} (forced: ${forced.join("; ")})`,
    provenance,
    columns: [
      { key: "cell", title: "Cell", align: "left" },
      { key: "ratio", title: "Head / base", align: "right", foremost: true },
      { key: "verdict", title: "Verdict", align: "left", foremost: true },
      { key: "base", title: "Base", unit: "ns/op", align: "right" },
      { key: "head", title: "Head", unit: "ns/op", align: "right" },
      { key: "floor", title: "Floor", align: "right" },
      { key: "forks", title: "Forks", align: "right" },
      { key: "state", title: "State", align: "left" },
    ],
    rows: sorted.map((row) => ({ cells: cellsOf(row) })),
    legend: notes,
  } as const;
  return [summaryOf(comparison), table];
}

function ratioOf(row: Row): number {
  return row.noNumber === undefined ? row.ratio.value : 0;
}

function cellsOf(row: Row): Record<string, string | null> {
  if (row.noNumber !== undefined) return { cell: row.cell, verdict: `no number: ${row.noNumber}` };
  const { cell, base, head, floor, forks, state } = row;
  return {
    cell,
    base: formatRatio(base),
    head: formatRatio(head),
    ratio: ratioText(row),
    floor: floor === undefined ? null : formatPercent(floor),
    forks: String(forks),
    state,
    verdict: verdictText(row),
  };
}

/** Both answers of a row that depends. */
function ratioText({ ratio, groups, verdict }: MeasuredRow): string {
  const shown = verdict === "depends" && groups !== undefined ? groups.map((group) => group.ratio) : [ratio];
  return shown.map(formatRatio).join(" or ");
}

function verdictText({ verdict, sees }: MeasuredRow): string {
  if (verdict === "slower" || verdict === "faster") return `**${verdict}**`;
  return verdict === "cannot tell" && sees !== undefined
    ? `cannot tell (sees ${formatPercent(sees)})`
    : verdict;
}

/** A missing number is worse than a slower one. */
export function exitCodeOf(rows: readonly Row[]): number {
  const kinds = new Set(rows.map(kindOf));
  if (kinds.has("no number")) return EXIT.failed;
  return kinds.has("slower") ? EXIT.slower : EXIT.ok;
}

/** For programs: what the table says, unrounded. */
export function comparisonJson(comparison: Comparison): string {
  const { title, forced, rows, notes } = comparison;
  return `${JSON.stringify({ title, summary: summaryOf(comparison), forced, rows: rows.map(forProgram), notes }, null, 2)}\n`;
}

function forProgram(row: Row) {
  if (row.noNumber !== undefined) return { cell: row.cell, verdict: "no number", reason: row.noNumber };
  const { cell, base, head, ratio, groups, floor = null, sees = null, forks, state, verdict } = row;
  const ofGroups = groups === undefined ? {} : { groups };
  return { cell, unit: "ns/op", base, head, ratio, ...ofGroups, floor, sees, forks, state, verdict };
}
