import { readFileSync } from "node:fs";
import { join } from "node:path";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { ROOT } from "../../suites/lab/command/npm.ts";
import { EXIT, UsageError } from "../../suites/lab/command/usage.ts";
import { lowerBudgets, overBudget, readBudgets } from "./budgets.ts";
import { foreignWords, namedTwice } from "./names.ts";
import { codeIn, problemsIn } from "./rules.ts";

const COMMAND = command({
  about: `Checks what no linter knows of this repository: the direction of imports, the names of files and types, the headers of
    competitors and suites, and how many files and lines a room has.`,
  usage: { "npm run tidy": "print one line for each thing out of order" },
  before: "ARCHITECTURE.md has the rules. It is a part of npm run check.",
  options: {
    "lower-budgets": {
      help: `write down in scripts/tidy/budgets.json how heavy each room is now, where that is less than it may be or has
        no budget yet; nothing is raised`,
    },
  },
  exits: {
    0: "nothing is out of order",
    1: "something is",
    2: "the request was wrong",
  },
});

const { scripts: SCRIPTS } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

await runCommand(COMMAND, async ({ words, options }) => {
  if (words.length > 0) throw new UsageError(`tidy takes no words: remove ${words.join(", ")}`);
  const files = codeIn(ROOT);
  if (options["lower-budgets"]) lowerBudgets(ROOT, files);
  const problems = [
    ...problemsIn(ROOT, files),
    ...namedTwice(files),
    ...foreignWords(files, Object.keys(SCRIPTS)),
    ...overBudget(files, readBudgets(ROOT)),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
});
