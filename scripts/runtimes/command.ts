import { spawnSync } from "node:child_process";
import { command, runCommand } from "../../suites/lab/command/command.ts";
import { EXIT, UsageError } from "../../suites/lab/command/usage.ts";
import {
  askRuntime,
  LAB_RUNTIMES,
  notInstalled,
  OTHER_RUNTIMES,
  RUNTIMES_FOLDER,
  startOf,
} from "../../suites/lab/runtimes/runtimes.ts";
import { printBlocks } from "../../suites/lab/tables/terminal.ts";
import { type Answer, runtimeBlocks } from "./page.ts";

const COMMAND = command({
  about: "Installs runtimes besides the lab's own Node, and lists what each supports.",
  usage: {
    "npm run runtimes": `install ${OTHER_RUNTIMES.join(", ")} in scripts/runtimes/node_modules, each in the version that
      scripts/runtimes/package.json pins: about 750 MB, in half a minute`,
    "npm run runtimes -- list": `list the installed ones and the lab's own Node, and what they support`,
  },
  before: `npm ci installs none of them. npm test runs the worked examples on each installed one; npm test -- --runtime bun
    examines the competitors there.`,
  options: {},
  exits: {
    0: "all done",
    1: "npm failed, or an installed runtime does not answer",
    2: "a request that cannot be carried out",
  },
});

await runCommand(COMMAND, async ({ words }) => {
  const isList = words[0] === "list";
  const unknown = isList ? words.slice(1) : words;
  if (unknown.length > 0)
    throw new UsageError(`runtimes takes no word except list: remove ${unknown.join(", ")}`);
  return isList ? await list() : install();
});

function install(): number {
  // What the person keeps out of installations elsewhere is all that there is here.
  const { status } = spawnSync("npm", ["ci", "--include=optional"], {
    cwd: RUNTIMES_FOLDER,
    stdio: "inherit",
  });
  return status === 0 ? EXIT.ok : EXIT.failed;
}

async function list(): Promise<number> {
  const answers: Answer[] = [];
  for (const runtime of LAB_RUNTIMES) {
    const start = startOf(runtime);
    answers.push(
      start === undefined
        ? { runtime, silence: notInstalled(runtime) }
        : await askRuntime(start).then(
            (facts) => ({ runtime, facts }),
            ({ message }: Error) => ({ runtime, silence: message }),
          ),
    );
  }
  printBlocks(process.stdout, runtimeBlocks(answers));
  return answers.some(({ runtime, facts }) => facts === undefined && startOf(runtime) !== undefined)
    ? EXIT.failed
    : EXIT.ok;
}
