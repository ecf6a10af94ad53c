import { command, runCommand } from "../../suites/lab/command/command.ts";
import { ROOT } from "../../suites/lab/command/npm.ts";
import { EXIT, UsageError } from "../../suites/lab/command/usage.ts";
import { problemsIn } from "./rules.ts";

const COMMAND = command({
  about: `Checks what no linter knows of this repository: the direction of imports, the names of files, and the headers of
    competitors and suites.`,
  usage: { "npm run tidy": "print one line for each thing out of order" },
  before: "ARCHITECTURE.md has the rules. It is a part of npm run check.",
  options: {},
  exits: {
    0: "nothing is out of order",
    1: "something is",
    2: "the request was wrong",
  },
});

await runCommand(COMMAND, async ({ words }) => {
  if (words.length > 0) throw new UsageError(`tidy takes no words: remove ${words.join(", ")}`);
  const problems = problemsIn(ROOT);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
});
