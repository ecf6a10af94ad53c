import type { SourceFigures } from "../../claims.ts";
import type { Finding, JudgedClaims, JudgedRemark, JudgedStatement } from "../../judge/claims.ts";
import type { JudgedScenario } from "../../schema/verdict.ts";
import {
  formatNumber,
  formatRatio,
  type Row,
  type Table,
  toMarkdown,
} from "../benchmark-reporter-markdown/src/index.ts";
import { left, right } from "../tables/columns.ts";
import { foldedAway, foldedUnderHeading } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import type { Source } from "./newest.ts";
import { provenanceText } from "./pages.ts";
import { noteText, piecesOf } from "./statements.ts";

/** What the source documents claim, beside what the newest records show. Pure. */
export interface ClaimsSection {
  readonly judged: JudgedClaims;
  /** The records that they were held against. */
  readonly sources: readonly Source[];
}

const INTRODUCTION = `# Claims of the sources, and what was seen

Each source's own table stands beside ours, and each of its sentences that claims something beside the cells that show
whether it is so. A claim *holds* if all its evidence does, *does not hold* if one piece does not, and is open
otherwise; what goes beyond the source is shown and has no say. What is meant of a simulation holds if at least 90 % of
all seeds lie within, does not hold if fewer than half do, and is open otherwise; a seed without the figure lies outside,
and *never* is later than any time. What the source read off one run of its own is held to its own digits: it holds if at
least 5 % of all seeds come as far up as its figure, 5 % as far down and 5 % within a tenth of it, and does not hold if one
of these is none. Bounds are the text's, set before anything was run; where the text has no figure, its reading says what
is meant. Each sentence is counted once. Ratios have the interval that a table's verdicts rest on. Times of different
machines and languages do not compare; the order of methods does.
`;

export function claimsPage(sections: readonly ClaimsSection[]): string {
  return [
    INTRODUCTION,
    scoreText(sections),
    ...sections.map(sectionText),
    "Made by `npm run report` from the newest records. Do not edit.\n",
  ].join("\n");
}

/** How many sentences of each source hold. */
function scoreText(sections: readonly ClaimsSection[]): string {
  const table: Table = {
    title: "In short",
    provenance: [],
    columns: [
      left("of", "Of"),
      left("source", "Source"),
      ...["Sentences", "Hold", "Do not hold", "Open", "Not measured"].map((title) => right(title, title)),
    ],
    rows: sections.map(({ judged: { claims, statements } }) => {
      const count = (wanted: Finding) => statements.filter(({ finding }) => finding === wanted).length;
      const [held, failed, unmeasured] = [count("holds"), count("does not hold"), count("not measured")];
      return {
        cells: {
          of: claims.primitive,
          source: claims.source,
          Sentences: String(statements.length),
          Hold: String(held),
          "Do not hold": String(failed),
          Open: String(statements.length - held - failed - unmeasured),
          "Not measured": String(unmeasured),
        },
      };
    }),
    legend: [],
  };
  return toMarkdown(table);
}

function sectionText({ judged, sources }: ClaimsSection): string {
  const { claims, statements, remarks } = judged;
  const table = `../${claims.primitive}/README.md`;
  return [
    `## ${claims.primitive}: ${claims.source}\n`,
    `By ${claims.author}. ${claims.conditions}\n`,
    `Ours: [results/${claims.primitive}](${table}), from ${sources.map(({ file }) => `\`${file}\``).join(", ")}.\n`,
    statementsTable(statements),
    ...remarks.map(remarkText),
    ...(claims.figures === undefined
      ? []
      : [foldedUnderHeading("Both tables", figuresText(claims.figures, judged))]),
    foldedAway(
      "Machine, commit, load and command of each record",
      sources.map(({ file, record }) => `\`${file}\`:\n\n${provenanceText(record)}`).join("\n"),
    ),
  ].join("\n");
}

/** A colour and a word, so that neither need be seen. */
const MARKS: Readonly<Record<Finding, string>> = {
  holds: "🟢 holds",
  "does not hold": "🔴 does not hold",
  "cannot tell": "🟡 open",
  "condition not met": "🟡 condition not met",
  "not measured": "⚪ not measured",
};

/** A row for each sentence: the piece of evidence that decides it in sight, all the rest folded. Not padded: cells are long. */
function statementsTable(statements: readonly JudgedStatement[]): string {
  const rows = [
    ["", "What the source says", "What was seen"],
    [":--", ":--", ":--"],
    ...statements.map((judged) => {
      const { quote, translation } = judged.statement;
      return [MARKS[judged.finding], `"${translation ?? quote}"`, evidenceCell(judged)];
    }),
  ];
  return `${rows.map((cells) => `| ${cells.map(inCell).join(" | ")} |\n`).join("")}`;
}

function evidenceCell(judged: JudgedStatement): string {
  const { statement, finding, evidence } = judged;
  const decisive = evidence.find((piece) => piece.finding === finding) ?? evidence[0]!;
  const rest = [
    ...(statement.translation === undefined ? [] : [`Word for word: "${statement.quote}"`]),
    `Read as: ${statement.reading}.`,
    ...piecesOf(judged).map(({ label, piece }) => `${label}${piece.finding}: ${piece.seen}`),
    ...noteText(judged),
  ];
  return `<details><summary>${decisive.seen}</summary>${rest.map((line) => line.trimEnd()).join("<br>")}</details>`;
}

/** A row of a table is one line, and a pipe would end its cell. */
function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

/** Beside the source, and no sentence of its: what was seen has no finding. */
function remarkText({ text, seen }: JudgedRemark): string {
  return [`Remark: ${text}\n`, ...seen.map((piece) => `- ${piece.seen}`), ""].join("\n");
}

/** One row for each method and place: the source, and ours at each worker count. */
function figuresText(figures: SourceFigures, { scenarios }: JudgedClaims): string {
  const scenario = scenarios.find((judged) => judged.scenario === figures.scenario);
  const rows = figures.rows.flatMap(({ competitor, method, ...source }): Row[] => [
    { cells: { method, where: "source", ...source } },
    ...(scenario?.rows ?? [])
      .filter((row) => row.competitor === competitor)
      .map((row): Row => ({ cells: { method: competitor, ...oursIn(row) } })),
  ]);
  const table: Table = {
    title: `The source's table beside ours: ${figures.scenario}`,
    provenance: [],
    columns: [
      left("method", "Method"),
      left("where", "Where"),
      right("ratio", "Ratio"),
      right("mean", "Mean", figures.unit),
      right("error", "Error", figures.unit),
      right("stdDev", "StdDev", figures.unit),
      right("median", "Median", figures.unit),
    ],
    rows,
    legend: [
      "Ours: what one worker waits for one operation, a median over slices and forks, which has no mean beside it. Error: half of a 99 % interval over processes. StdDev: between processes. The source's are BenchmarkDotNet's, over the iterations of one process.",
      ...(scenario?.conditions ?? []).map(
        ({ workers, floors }) =>
          `Noise floor of ours at ${workersText(workers)}: ${floors.map((floor) => `${(100 * floor).toFixed(1)} %`).join(", ")} by group.`,
      ),
    ],
  };
  return toMarkdown(table, { headingLevel: 3 });
}

function oursIn(row: JudgedScenario["rows"][number]): Row["cells"] {
  const where = `here, ${workersText(row.workers)}`;
  if (row.noNumber !== undefined) return { where, median: "no number" };
  return {
    where,
    error: formatNumber(row.error),
    stdDev: formatNumber(row.stdDev),
    ratio: row.kind === "baseline" ? "1" : row.ratio === undefined ? null : formatRatio(row.ratio),
    median: formatNumber(row.median),
  };
}
