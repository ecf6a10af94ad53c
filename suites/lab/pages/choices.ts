import { type Answer, seenFromAbove } from "./answer.ts";

/** The advice of all answers, as one page for a design review. Pure. */

/** Beside the page of all results. */
export const CHOICES_FILE = "choices.md";

/** A primitive with what was written of it. */
export interface Advised {
  readonly primitive: string;
  readonly question: string;
  readonly answer: Pick<Answer, "text"> | undefined;
  /** What stands below its table, in markdown, with links from the page of all results. */
  readonly remark?: string | undefined;
}

const INTRODUCTION = `# What to take, when, and what you give up

The tables of [the answers](README.md), for a design review. Each link leads to the scenario with the figures, and each
answer has these figures in a table below it. Everything was measured on two shared cores; results may differ on more.
`;

const TABLE = /^\| If \| take \|.*\n(?:\|.*\n)+/m;

/** A primitive without an answer, or without such a table in it, is omitted. */
export function choicesPage(advised: readonly Advised[]): string {
  const tables = advised.flatMap(({ primitive, question, answer, remark }) => {
    const [table] = TABLE.exec(answer?.text ?? "") ?? [];
    if (table === undefined) return [];
    return [
      `## ${primitive}\n`,
      `*${question}* [The whole answer](${primitive}/README.md).\n`,
      seenFromAbove(table, primitive),
      ...(remark === undefined ? [] : [`${remark}\n`]),
    ];
  });
  return [INTRODUCTION, ...tables, "Made by `npm run report` from the answers. Do not edit.\n"].join("\n");
}
