import type { JudgedClaims, JudgedStatement } from "../judge/claims.ts";
import type { JudgedScenario } from "../judge/judge.ts";
import { formatNumber, formatRatio, type Row, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";

/** What the source documents claim, beside what the newest records show. Pure. */
export interface ClaimsSection {
  readonly judged: JudgedClaims;
  /** How the page names the record that was looked at, relative to itself. */
  readonly record: string;
}

export function claimsPage(sections: readonly ClaimsSection[]): string {
  return [
    "# Claims of the sources, and what was seen\n",
    "Each source's own table stands beside ours, and each of its sentences that claims something beside the cells that\nshow whether it is so. A claim holds if all its evidence does, does not hold if one piece does not, and is open\notherwise. Times of different machines and languages do not compare; the order of methods does.\n",
    ...sections.map(sectionText),
    "Made by `npm run report` from the newest records. Do not edit.\n",
  ].join("\n");
}

function sectionText({ judged, record }: ClaimsSection): string {
  const { claims, statements, scenarios } = judged;
  return [
    `## ${claims.primitive}: ${claims.source}\n`,
    `By ${claims.author}. ${claims.conditions}\nOurs: [${record.split("/").at(-1)}](${record}).\n`,
    figuresText(judged, scenarios),
    ...statements.map(statementText),
  ].join("\n");
}

/** The source's columns, and beside them ours at each worker count. */
function figuresText({ claims: { figures } }: JudgedClaims, scenarios: readonly JudgedScenario[]): string {
  const rows = scenarios.find(({ scenario }) => scenario === figures.scenario)?.rows ?? [];
  const workerCounts = [...new Set(rows.map(({ workers }) => workers))].sort((a, b) => a - b);
  const right = (key: string, title: string, unit?: string) => ({
    key,
    title,
    unit,
    align: "right" as const,
  });
  return toMarkdown(
    {
      title: `The source's table beside ours (${figures.scenario})`,
      provenance: [],
      columns: [
        { key: "method", title: "Method", align: "left" },
        right("mean", "Mean", figures.unit),
        right("error", "Error", figures.unit),
        right("stdDev", "StdDev", figures.unit),
        right("ratio", "Ratio"),
        { key: "competitor", title: "Here", align: "left" },
        ...workerCounts.flatMap((workers) => [
          right(`median${workers}`, `Median, ${workers}w`, "ns"),
          right(`error${workers}`, `Error, ${workers}w`, "ns"),
          right(`stdDev${workers}`, `StdDev, ${workers}w`, "ns"),
          right(`ratio${workers}`, `Ratio, ${workers}w`),
        ]),
      ],
      rows: figures.rows.map(({ competitor, ...source }): Row => {
        const ours = rows.filter((row) => row.competitor === competitor);
        return {
          cells: {
            ...source,
            competitor,
            ...Object.assign({}, ...ours.map((row) => oursAt(row))),
          },
        };
      }),
      legend: [
        "Ours: what one worker waits for a pick; error and standard deviation over processes, ratio to the same baseline with its interval. The source's are BenchmarkDotNet's, over iterations of one process.",
      ],
    },
    { headingLevel: 3 },
  );
}

function oursAt(row: JudgedScenario["rows"][number]): Row["cells"] {
  const { workers } = row;
  if (row.noNumber !== undefined) return { [`median${workers}`]: "no number" };
  return {
    [`median${workers}`]: formatNumber(row.median),
    [`error${workers}`]: formatNumber(row.error),
    [`stdDev${workers}`]: formatNumber(row.stdDev),
    [`ratio${workers}`]: row.ratio === undefined ? "1" : formatRatio(row.ratio),
  };
}

function statementText({ statement, finding, evidence }: JudgedStatement): string {
  return [
    `### "${statement.quote}": ${finding}\n`,
    `Read as: ${statement.reading}.\n`,
    ...evidence.map((piece) => `- ${piece.finding}: ${piece.seen}`),
    "",
  ].join("\n");
}
