import { toMarkdown } from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { foremostText, shortProvenance } from "../../../suites/engine/render/pages/pages.ts";
import { list } from "../../../suites/engine/render/tables/markdown.ts";
import { matrixLegend, matrixTables } from "../../../suites/engine/render/tables/matrix.ts";
import { type JudgedScenario, verdictText } from "../../../suites/engine/schema/verdict.ts";
import { type Contest, type RankedRow, standingsIn } from "./contest.ts";
import type { MatrixSeen } from "./matrices.ts";
import type { PrimitiveData, RecordFile } from "./site-data.ts";

/** What is shown as text to take away: as it is shown, with the baseline that was chosen and without who was left out. */

/** As pages have it, with where it is from; `address` leads back to the view. */
export function markdownOf(data: PrimitiveData, { judged, source }: Contest, address: string): string {
  const table = foremostText(judged, 2, standingsIn(data));
  return `${table}\n${originText(source, address)}`;
}

/** The tables of a scenario on several runtimes. */
export function matrixMarkdownOf({ matrix, source }: MatrixSeen, address: string): string {
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

const CSV_COLUMNS = [
  "cell",
  "baseline",
  "median_ns",
  "ratio",
  "ratio_low",
  "ratio_high",
  "verdict",
  "sees",
  "floor",
  "rank",
  "leads",
  "processes",
  "state",
] as const;

/** A row for each cell with a number, numbers in full; after RFC 4180. */
export function csvOf({ roles, baseline }: Contest): string {
  const lines = roles.flatMap(({ rivals, apart }) => {
    const unranked = apart.map(({ row }): RankedRow => ({ row, rank: undefined }));
    return [...rivals, ...unranked].map(({ row, rank }) => {
      const values: Readonly<Record<(typeof CSV_COLUMNS)[number], CsvValue>> = {
        cell: row.cell,
        baseline,
        median_ns: row.median,
        ratio: row.ratio?.value,
        ratio_low: row.ratio?.low,
        ratio_high: row.ratio?.high,
        verdict: row.verdict,
        sees: row.sees,
        floor: row.toBaseline?.floor,
        rank: rank?.place,
        leads: rank?.leads,
        processes: row.forks,
        state: row.state,
      };
      return CSV_COLUMNS.map((column) => values[column]);
    });
  });
  return csvText([CSV_COLUMNS, ...lines]);
}

const MATRIX_COLUMNS = [
  "at",
  "competitor",
  "runtime",
  "first_ns",
  "ratio",
  "ratio_low",
  "ratio_high",
  "verdict",
  "reason",
] as const;

/** A row for each competitor and runtime beside the first, `first_ns` being what an operation takes on that. */
export function matrixCsvOf({ matrix: { runtimes, panels } }: MatrixSeen): string {
  const [, ...others] = runtimes;
  const lines = panels.flatMap(({ title, rows }) =>
    rows.flatMap(({ competitor, first, others: cells }) =>
      cells.map((cell, index) => {
        const firstNs = "ns" in first ? first.ns : undefined;
        const seen =
          cell.reason === undefined
            ? [cell.ratio.value, cell.ratio.low, cell.ratio.high, cell.verdict, undefined]
            : [undefined, undefined, undefined, undefined, cell.reason];
        return [title, competitor, others[index]!.name, firstNs, ...seen];
      }),
    ),
  );
  return csvText([MATRIX_COLUMNS, ...lines]);
}

/** What a cell may hold; undefined leaves it empty. */
type CsvValue = string | number | boolean | undefined;

function csvText(lines: readonly (readonly CsvValue[])[]): string {
  return lines.map((line) => `${line.map(quoted).join()}\r\n`).join("");
}

function quoted(value: CsvValue): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
