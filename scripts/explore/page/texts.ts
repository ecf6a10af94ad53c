import { type JudgedScenario, verdictText } from "../../../suites/engine/schema/verdict.ts";
import { foremostText, shortProvenance } from "../../../suites/lab/pages/pages.ts";
import { asWritten } from "../../../suites/lab/tables/as-written.ts";
import { list } from "../../../suites/lab/tables/markdown.ts";
import { matrixLegend, matrixTables } from "../../../suites/lab/tables/matrix.ts";
import { toMarkdown } from "../../../suites/reporter/src/index.ts";
import { type Contest, standingsIn } from "./contest.ts";
import type { MatrixSeen } from "./matrices.ts";
import type { PrimitiveData, RecordFile } from "./site-data.ts";

/** What is shown as text to take away: as it is shown, with the baseline that was chosen and without who was left out. */

/** As pages have it, with where it is from; `address` leads back to the view. */
export function markdownOf(data: PrimitiveData, contest: Contest, address: string): string {
  const { judged, source } = asWritten(contest);
  const table = foremostText(judged, 2, standingsIn(data));
  return `${table}\n${originText(source, address)}`;
}

/** The tables of a scenario on several runtimes. */
export function matrixMarkdownOf(seen: MatrixSeen, address: string): string {
  const { matrix, source } = asWritten(seen);
  const { primitive, scenario, title, runtimes } = matrix;
  return [
    `## ${primitive}/${scenario} on several runtimes: ${title}\n`,
    ...matrixTables(matrix).map((table) => toMarkdown(table, { headingLevel: 3 })),
    list(matrixLegend(runtimes)),
    originText(source, address),
  ].join("\n");
}

function originText({ file, record }: RecordFile, address: string): string {
  return `[This view](${address}), made from \`${file}\`: ${shortProvenance(record)}.\n`;
}

/** One line for each scenario and row, as verdicts are kept. */
export function ndjsonOf(races: readonly JudgedScenario[]): string {
  return verdictText({ races, metrics: [] });
}

/** The rows of the same as CSV, after RFC 4180: a column for each figure, numbers in full. */
export function csvOf(races: readonly JudgedScenario[]): string {
  const rows = races.flatMap(({ rows, conditions: [conditions] }) =>
    rows.map((row) => new Map([...figuresIn(row), ["baseline", conditions?.baseline]])),
  );
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row.get(column)))];
  return lines.map((line) => `${line.map(quoted).join()}\r\n`).join("");
}

/** All that is one figure or one text, by its name, as `ratio.low`. */
function figuresIn(value: object, prefix = ""): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([key, own]): [string, unknown][] => {
    const name = `${prefix}${key}`;
    if (Array.isArray(own)) return [];
    return typeof own === "object" ? figuresIn(own, `${name}.`) : [[name, own]];
  });
}

function quoted(value: unknown): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
