import { type Row, toMarkdown } from "../../reporter/src/index.ts";
import { left } from "../tables/columns.ts";
import { unbroken, withoutHeading } from "../tables/markdown.ts";
import type { JudgedDocument, JudgedEvidence, JudgedStatement } from "./judge-document.ts";

/** As seen from a primitive's page. */
const STATEMENTS_PAGE = "../statements/README.md";

/**
 * The statements of sources about one simulation, for its page: each sentence, and its figures beside ours. `page` names all
 * simulations of the page in order: a note appears once, at the first simulation that its statement has a figure of. Pure.
 */
export function statementsText(
  documents: readonly JudgedDocument[],
  scenario: string,
  page: readonly string[],
): string[] {
  const texts = documents
    .flatMap(({ statements }) => statements)
    .flatMap((judged) => textIn(judged, scenario, page));
  if (texts.length === 0) return [];
  return [`What [the source](${STATEMENTS_PAGE}) says about it, and what the lab measured:\n`, ...texts];
}

/** All evidence of a statement, each piece with the label before its finding. */
export function piecesOf({ condition, evidence, otherwise, beyond }: JudgedStatement) {
  const labelled = (label: string) => (piece: JudgedEvidence) => ({ label, piece });
  return [
    ...(condition === undefined ? [] : [condition].map(labelled("condition "))),
    ...evidence.map(labelled("")),
    ...(otherwise === undefined ? [] : otherwise.evidence.map(labelled(`${otherwise.rule}: `))),
    ...beyond.map(labelled("beyond the source, ")),
  ];
}

/** What else is to be said of a statement: what does not reproduce and why, and what was guessed. */
export function noteText({ statement: { note, isGuessed } }: JudgedStatement): string[] {
  const notes = [...(isGuessed === undefined ? [] : [GUESSED]), ...(note === undefined ? [] : [note])];
  return notes.length === 0 ? [] : [`Note: ${notes.join(" ")}\n`];
}

const GUESSED =
  "The text does not say how this was computed. What stands for it here was found by trying, so the statement is open whatever comes out.";

function textIn(judged: JudgedStatement, scenario: string, page: readonly string[]): string[] {
  const pieces = piecesOf(judged);
  const own = pieces.flatMap(({ label, piece: { bound, finding } }) =>
    bound?.scenario === scenario ? [{ ...bound, finding: `${label}${finding}` }] : [],
  );
  if (own.length === 0) return [];
  const { quote, translation, reading } = judged.statement;
  const quoted = translation === undefined ? [quote] : [quote, "", `In English: ${translation}`];
  const hasFigures = own.some(({ says }) => says !== undefined);
  const hasSeeds = own.some(({ within }) => within !== undefined);
  const table = toMarkdown({
    title: quote,
    provenance: [],
    columns: [
      left("what", "What"),
      left("ours", "Ours"),
      left("finding", "Finding"),
      ...(hasFigures ? [left("says", "The source")] : []),
      left("heldTo", "Held to"),
      ...(hasSeeds ? [left("within", "Within")] : []),
    ],
    rows: own.map(({ what, unit, says = null, ours = null, heldTo, within = null, finding }): Row => {
      const cells = {
        what: unit === "" ? what : `${what} (${unit})`,
        ours: ours === null ? null : unbroken(ours),
        heldTo,
        finding,
      };
      return { cells: { ...cells, ...(hasFigures ? { says } : {}), ...(hasSeeds ? { within } : {}) } };
    }),
    legend: [],
  });
  const lines = quoted.flatMap((text) => text.split("\n")).map((line) => `> ${line}`.trimEnd());
  const hasPiece = (candidate: string) => pieces.some(({ piece }) => piece.bound?.scenario === candidate);
  return [
    `${lines.join("\n")}\n`,
    `Read as: ${reading}.\n`,
    withoutHeading(table),
    ...(own.length === pieces.length ? [] : [`As a whole: [${judged.finding}](${STATEMENTS_PAGE}).\n`]),
    ...(page.find(hasPiece) === scenario ? noteText(judged) : []),
  ];
}
