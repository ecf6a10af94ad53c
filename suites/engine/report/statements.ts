import type { JudgedClaims, JudgedEvidence, JudgedStatement } from "../judge/claims.ts";
import { type Row, toMarkdown } from "./benchmark-reporter-markdown/src/index.ts";
import { withoutHeading } from "./markdown.ts";

/** What sources say of one simulation, to stand beside its picture: each sentence, and its figures beside ours. Pure. */
export function statementsText(claims: readonly JudgedClaims[], scenario: string): string[] {
  const texts = claims.flatMap(({ statements }) => statements).flatMap((judged) => textIn(judged, scenario));
  if (texts.length === 0) return [];
  return ["What [the source](../claims/README.md) says of it, and what was seen here:\n", ...texts];
}

/** All that a statement was held to, each with what to say before its finding. */
export function piecesOf({ condition, evidence, beyond }: JudgedStatement) {
  const labelled = (label: string) => (piece: JudgedEvidence) => ({ label, piece });
  return [
    ...(condition === undefined ? [] : [condition].map(labelled("condition "))),
    ...evidence.map(labelled("")),
    ...beyond.map(labelled("beyond the source, ")),
  ];
}

/** Of a statement that has a note, what does not reproduce and why. */
export function noteText({ statement: { note } }: JudgedStatement): string[] {
  return note === undefined ? [] : [`Note: ${note}\n`];
}

function textIn(judged: JudgedStatement, scenario: string): string[] {
  const pieces = piecesOf(judged).flatMap(({ label, piece: { bound, finding } }) =>
    bound?.scenario === scenario ? [{ ...bound, finding: `${label}${finding}` }] : [],
  );
  if (pieces.length === 0) return [];
  const { quote, translation } = judged.statement;
  const quoted = translation === undefined ? [quote] : [quote, "", `In English: ${translation}`];
  const hasFigures = pieces.some(({ says }) => says !== undefined);
  const left = (key: string, title: string) => ({ key, title, align: "left" as const });
  const table = toMarkdown({
    title: quote,
    provenance: [],
    columns: [
      left("what", "What"),
      ...(hasFigures ? [left("says", "The source")] : []),
      left("ours", "Ours"),
      left("heldTo", "Held to"),
      left("finding", "Finding"),
    ],
    rows: pieces.map(({ what, unit, says = null, ours = null, heldTo, finding }): Row => {
      const cells = { what: unit === "" ? what : `${what} (${unit})`, ours, heldTo, finding };
      return { cells: hasFigures ? { ...cells, says } : cells };
    }),
    legend: [],
  });
  const lines = quoted.flatMap((text) => text.split("\n")).map((line) => `> ${line}`.trimEnd());
  return [`${lines.join("\n")}\n`, withoutHeading(table), ...noteText(judged)];
}
