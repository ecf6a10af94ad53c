import type { Verdicts } from "../schema/verdict.ts";
import { type Answer, seenFromAbove } from "./answer.ts";
import { figuresIn, namesIn } from "./evidence.ts";

/** The advice of all answers, as one page for a design review. Pure. */

/** Beside the page of all results. */
export const CHOICES_FILE = "choices.md";

/** A primitive with what was written of it. */
export interface Advised extends Verdicts {
  readonly primitive: string;
  readonly question: string;
  readonly answer: Pick<Answer, "text"> | undefined;
  /** What stands below its table, in markdown, with links from the page of all results. */
  readonly remark?: string | undefined;
}

const INTRODUCTION = `# What to take, when, and what you give up

The tables of [the answers](README.md), for a design review. Their last column has the figures of what to take: in a race
the ratio to the baseline with the most workers that had a core each. A baseline has none, so the figures of others that the
row names stand there. *In this run*: the interval for another run does not bear the verdict out. Each link leads to the
scenario. Everything was measured on two shared cores; results may differ on more.
`;

const TABLE = /^\| If \| take \|.*\n(?:\|.*\n)+/m;

/** A primitive without an answer, or without such a table in it, is omitted. */
export function choicesPage(advised: readonly Advised[]): string {
  const tables = advised.flatMap(({ primitive, question, answer, remark, ...verdicts }) => {
    const [table] = TABLE.exec(answer?.text ?? "") ?? [];
    if (table === undefined) return [];
    return [
      `## ${primitive}\n`,
      `*${question}* [The whole answer](${primitive}/README.md).\n`,
      seenFromAbove(withFigures(table, verdicts), primitive),
      ...(remark === undefined ? [] : [`${remark}\n`]),
    ];
  });
  return [INTRODUCTION, ...tables, "Made by `npm run report` from the answers. Do not edit.\n"].join("\n");
}

/** The table with a column more. */
function withFigures(table: string, verdicts: Verdicts): string {
  const [heading, rule, ...rows] = table.trimEnd().split("\n");
  return [
    `${heading} figures |`,
    `${rule} :-- |`,
    ...rows.map((row) => `${row} ${figuresOf(row, verdicts).join("; ") || "–"} |`),
    "",
  ].join("\n");
}

/** Of what a row takes; where that is a baseline alone, of all that it names. */
function figuresOf(row: string, verdicts: Verdicts): string[] {
  const taken = figuresIn(row, verdicts, namesIn(row.split("|")[2]!));
  return taken.length > 0 ? taken : figuresIn(row, verdicts);
}
