import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { left, plain, tableOf } from "../tables/columns.ts";
import { RESULTS } from "./results.ts";

/** Competitors that left once their question was settled. Records may still have rows of theirs. */

export const RETIRED_FILE = "retired.md";

/** An entry of results/retired.json. */
type Retired = Readonly<
  Record<"primitive" | "competitor" | "question" | "answer" | "record" | "commit", string>
>;

const FILE = join(RESULTS, "retired.json");
/** None where there is code without results: in what `compare` races, and where `npm run new` is tested. */
const retired: readonly Retired[] = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : [];

export function retiredOf(primitive: string): string[] {
  return retired.filter((each) => each.primitive === primitive).map(({ competitor }) => competitor);
}

const INTRODUCTION = `# Retired competitors

A variant leaves when its question is settled. Here is what was asked, what the last record says, and where the source was.
\`git show COMMIT:FILE\` prints it. A ratio is to the competitor that is named, with the interval that its verdict rests on.
`;

export function retiredPage(): string {
  const table = tableOf("Retired", retired, [
    [left("competitor", "Competitor"), ({ primitive, competitor }) => `${primitive}/${competitor}`],
    [left("question", "Question"), ({ question }) => question],
    [left("answer", "Answer"), ({ answer }) => answer],
    [left("record", "Record"), ({ record }) => `\`${record}\``],
    [
      left("source", "Source"),
      ({ commit, primitive, competitor }) =>
        `\`${commit}:structures/${primitive}/competitors/${competitor}.ts\``,
    ],
  ]);
  return [INTRODUCTION, plain(table), "Made by `npm run report` from `retired.json`. Do not edit.\n"].join(
    "\n",
  );
}
