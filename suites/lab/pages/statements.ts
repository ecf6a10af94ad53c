import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { type Row, type Table, toMarkdown } from "../../reporter/src/index.ts";
import { type LabColumn, labCells, labColumns } from "../../reporter/src/lab.ts";
import {
  type Finding,
  type JudgedDocument,
  type JudgedRemark,
  type JudgedStatement,
  worstOf,
} from "../statements/judge-document.ts";
import { noteText, piecesOf } from "../statements/statements.ts";
import type { SourceFigures } from "../statements/vocabulary.ts";
import { left, right } from "../tables/columns.ts";
import { foldedAway, foldedUnderHeading } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import type { Source } from "./newest.ts";
import { provenanceText } from "./provenance.ts";

/** The statements of the source documents, beside what the newest records show. Pure. */
export interface DocumentSection {
  readonly judged: JudgedDocument;
  /** The records that the statements were held against. */
  readonly sources: readonly Source[];
}

const INTRODUCTION = `# Statements of the sources, and what the lab measured

Each source's own table is shown beside the lab's. Each of its sentences that states something is shown with the cells that
decide whether it holds. A sentence about two primitives is shown with each and counted once, by the worse finding. What a
source requires or defines is no statement.

- A statement *holds* if all of its evidence does, *does not hold* if one piece does not, and is open otherwise. Evidence
  beyond the source is shown, and does not count.
- A complexity such as O(1) is held against counted steps. Times, in which caches weigh, stand beside it.
- A statement under a rule that is not the source's own has a second finding, which is not counted.
- What the text leaves open and the lab had to guess is open, whatever comes out.
- A bound on a simulation holds if at least 90 % of all seeds lie within it. It does not hold if fewer than half do, and is
  open otherwise. A seed without the figure lies outside, and *never* is later than any time.
- A figure that the source read off one run of its own is held to its own digits. It holds if each of three shares is 5 % of
  all seeds or more: at least as high, at least as low, and within a tenth of it. It does not hold if one is zero.
- Bounds are those of the text, set before anything was run. Where the text has no figure, its reading says what is meant.
- Ratios have the interval that a table's verdicts rest on. It is the run's own: another run may lie outside. Times of
  different machines and languages do not compare; the order of methods does.
`;

export function statementsPage(sections: readonly DocumentSection[]): string {
  return [
    INTRODUCTION,
    scoreText(sections),
    ...sections.map(sectionText),
    "Made by `npm run report` from the newest records. Do not edit.\n",
  ].join("\n");
}

/** The number of sentences of each source that hold. */
function scoreText(sections: readonly DocumentSection[]): string {
  const table: Table = {
    title: "In short",
    provenance: [],
    columns: [
      left("source", "Source"),
      left("of", "Of"),
      ...["Sentences", "Hold", "Do not hold", "Open", "Not measured"].map((title) => right(title, title)),
    ],
    rows: [
      ...[...Map.groupBy(sections, ({ judged }) => judged.document.source)].map(([source, own]) =>
        scoreRow(source, own.map(({ judged }) => judged.document.primitive).join(", "), findingsOf(own)),
      ),
      scoreRow("all", "", findingsOf(sections)),
    ],
    legend: [],
  };
  return toMarkdown(table);
}

function scoreRow(source: string, of: string, findings: readonly Finding[]): Row {
  const count = (wanted: Finding) => findings.filter((finding) => finding === wanted).length;
  const [held, failed, unmeasured] = [count("holds"), count("does not hold"), count("not measured")];
  return {
    cells: {
      source,
      of,
      Sentences: String(findings.length),
      Hold: String(held),
      "Do not hold": String(failed),
      Open: String(findings.length - held - failed - unmeasured),
      "Not measured": String(unmeasured),
    },
  };
}

/** One for each sentence, however many primitives it is about. */
function findingsOf(sections: readonly DocumentSection[]): Finding[] {
  const all = sections.flatMap(({ judged: { document, statements } }) =>
    statements.map(({ statement, finding }) => {
      return { sentence: `${document.source} ${statement.quote.replaceAll(/\s/g, "")}`, finding };
    }),
  );
  const bySentence = Map.groupBy(all, ({ sentence }) => sentence);
  return [...bySentence.values()].map((own) => worstOf(own.map(({ finding }) => finding)));
}

function sectionText({ judged, sources }: DocumentSection): string {
  const { document, statements, remarks } = judged;
  const table = `../${document.primitive}/README.md`;
  return [
    `## ${document.primitive}: ${document.source}\n`,
    `By ${document.author}. ${document.conditions}\n`,
    `Ours: [results/${document.primitive}](${table}), from ${sources.map(({ file }) => `\`${file}\``).join(", ")}.\n`,
    statementsTable(statements),
    ...remarks.map(remarkText),
    ...(document.figures === undefined
      ? []
      : [foldedUnderHeading("Both tables", figuresText(document.figures, judged))]),
    foldedAway(
      "Machine, commit, load and command of each record",
      sources.map(({ file, record }) => `\`${file}\`:\n\n${provenanceText(record)}`).join("\n"),
    ),
  ].join("\n");
}

/** Both a colour and a word, so that a reader needs only one. */
const MARKS: Readonly<Record<Finding, string>> = {
  holds: "🟢 holds",
  "does not hold": "🔴 does not hold",
  "cannot tell": "🟡 open",
  "condition not met": "🟡 condition not met",
  "not measured": "⚪ not measured",
};

/** A row for each sentence: the decisive piece of evidence in sight, the others folded. Not padded, as cells are long. */
function statementsTable(statements: readonly JudgedStatement[]): string {
  const rows = [
    ["", "What the source says", "What the lab measured"],
    [":--", ":--", ":--"],
    ...statements.map((judged) => {
      const { quote, translation } = judged.statement;
      return [findingCell(judged), `"${translation ?? quote}"`, evidenceCell(judged)];
    }),
  ];
  return `${rows.map((cells) => `| ${cells.map(inCell).join(" | ")} |\n`).join("")}`;
}

function findingCell({ finding, otherwise }: JudgedStatement): string {
  const other = otherwise === undefined ? [] : [`${otherwise.rule}: ${MARKS[otherwise.finding]}`];
  return [MARKS[finding], ...other].join("<br>");
}

function evidenceCell(judged: JudgedStatement): string {
  const { statement, finding, evidence } = judged;
  const decisive = evidence.find((piece) => piece.finding === finding) ?? evidence[0];
  const rest = [
    ...(statement.translation === undefined ? [] : [`Word for word: "${statement.quote}"`]),
    `Read as: ${statement.reading}.`,
    ...piecesOf(judged).map(({ label, piece }) => `${label}${piece.finding}: ${piece.seen}`),
    ...noteText(judged),
  ];
  return `<details><summary>${decisive?.seen ?? "nothing"}</summary>${rest.map((line) => line.trimEnd()).join("<br>")}</details>`;
}

/** A row of a table is one line, and a pipe would end its cell. */
function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

/** A note is no sentence of the source, so its evidence has no finding. */
function remarkText({ text, seen }: JudgedRemark): string {
  return [`Note: ${text}\n`, ...seen.map((piece) => `- ${piece.seen}`), ""].join("\n");
}

/** One row for each method and place: the source, and ours at each worker count. */
function figuresText(figures: SourceFigures, { scenarios }: JudgedDocument): string {
  const scenario = scenarios.find((judged) => judged.scenario === figures.scenario);
  const [ratio, ...costs] = ["ratio", "error", "stdDev", "median"].map(
    (key) => labColumns(figures.unit, []).find((column) => column.key === key)!,
  );
  const rows = figures.rows.flatMap(({ competitor, method, ...source }): Row[] => [
    { cells: { method, where: "source", ...source } },
    ...(scenario?.rows ?? [])
      .filter((row) => row.competitor === competitor)
      .map((row): Row => ({ cells: { method: competitor, ...oursIn(row, [ratio!, ...costs]) } })),
  ]);
  const table: Table = {
    title: `The source's table beside ours: ${figures.scenario}`,
    provenance: [],
    columns: [
      left("method", "Method"),
      left("where", "Where"),
      ratio!,
      right("mean", "Mean", figures.unit),
      ...costs,
    ],
    rows,
    legend: [
      "Ours: the time that one worker waits for one operation, as a median over slices and forks, which has no mean beside it. Error: half of a 99 % interval over processes. StdDev: between processes. Those of the source are BenchmarkDotNet's, over the iterations of one process.",
      ...(scenario?.conditions ?? []).map(
        ({ workers, floors }) =>
          `Noise floor of ours at ${workersText(workers)}: ${floors.map((floor) => `${(100 * floor).toFixed(1)} %`).join(", ")}.`,
      ),
    ],
  };
  return toMarkdown(table, { headingLevel: 3 });
}

function oursIn(row: JudgedScenario["rows"][number], columns: readonly LabColumn[]): Row["cells"] {
  const where = `here, ${workersText(row.workers)}`;
  if (row.noNumber !== undefined) return { where, median: "no number" };
  return { where, ...labCells(columns, row) };
}
