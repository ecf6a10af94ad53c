import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { blocksMarkdown } from "../../suites/engine/render/tables/blocks.ts";
import { printBlocks } from "../../suites/engine/render/tables/terminal.ts";
import { command, runCommand } from "../../suites/engine/schema/command.ts";
import { EXIT, nearestFirst, sayWritten, UsageError } from "../../suites/engine/schema/usage.ts";
import { checkWritable, writeWhole } from "../../suites/lab/store/results.ts";
import type { Abuse } from "./abuse.ts";
import { candidates } from "./candidates.ts";
import { ROOT } from "./checkout.ts";
import { disks } from "./disks.ts";
import { environment } from "./environment.ts";
import { flags } from "./flags.ts";
import { summaryOf, trialBlocks } from "./page.ts";
import { records } from "./records.ts";
import { strikeAll } from "./scene.ts";
import { signals } from "./signals.ts";
import { type Trial, tryAbuse } from "./trial.ts";

const COMMAND = command({
  about: "Mistreats the lab's commands in every known way, and checks that they keep their promises.",
  usage: { "npm run abuse -- [NAME...] [options]": "" },
  words: { NAME: "leading parts of the names of abuses: candidates   signals/hangup (default: all)" },
  options: {
    list: { help: "name the abuses, and end" },
    out: { value: "FILE", help: "also write the table to this file, as markdown" },
  },
  after: `Each abuse runs in a folder of its own. Afterwards its output, exit code and results are checked, and that it left no
    process, no file elsewhere and no broken terminal. One runs per core; on two cores all take about ten minutes. Do not
    change the checkout meanwhile: changes would be blamed on them. Abuses that need root
    (mounted disks, files of another owner) are skipped for other users, and named. Linux
    only, with git, bash and util-linux's script. Progress goes to stderr; Ctrl-C ends at once and leaves nothing.`,
  exits: {
    0: "every promise was kept",
    1: "a promise was broken",
    2: "the request was wrong, nothing was tried",
    130: "interrupted",
  },
});

/** As many at a time: what they promise is no matter of time, and much of it is waiting. */
const LANES = Math.max(2, availableParallelism());

const ABUSES: readonly Abuse[] = [...candidates, ...signals, ...disks, ...records, ...flags, ...environment];

await runCommand(COMMAND, async ({ options, words }) => {
  const chosen = chosenBy(words);
  if (options.list) {
    process.stdout.write(chosen.map(({ name }) => `${name}\n`).join(""));
    return EXIT.ok;
  }
  if (process.platform !== "linux") {
    throw new UsageError("npm run abuse needs /proc, which only Linux has: run it there");
  }
  if (options.out !== undefined) checkWritable(dirname(resolve(options.out)), "--out FILE");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(EXIT.interrupted));
  }
  process.on("exit", strikeAll);

  const trials = await tryAll(chosen);
  const blocks = trialBlocks(trials);
  if (process.stdout.isTTY) printBlocks(process.stdout, blocks);
  else process.stdout.write(blocksMarkdown(blocks));
  if (options.out !== undefined) {
    writeWhole(resolve(options.out), blocksMarkdown(blocks));
    sayWritten([resolve(options.out)]);
  }
  process.stderr.write(`${summaryOf(trials)}\n`);
  return trials.every(({ broken }) => broken.length === 0) ? EXIT.ok : EXIT.noNumber;
});

/** The abuses that words ask for. Throws a UsageError for a word that asks for none. */
function chosenBy(words: readonly string[]): readonly Abuse[] {
  const isNamed = ({ name }: Abuse, word: string) => name === word || name.startsWith(`${word}/`);
  for (const word of words) {
    if (ABUSES.some((abuse) => isNamed(abuse, word))) continue;
    const [nearest] = nearestFirst(
      ABUSES.flatMap(({ name }) => [name.split("/")[0]!, name]),
      word,
    );
    throw new UsageError(
      `no abuse is named "${word}": did you mean ${nearest}? npm run abuse -- --list shows all`,
    );
  }
  return words.length === 0 ? ABUSES : ABUSES.filter((abuse) => words.some((word) => isNamed(abuse, word)));
}

/** In the order of the abuses. */
async function tryAll(abuses: readonly Abuse[]): Promise<Trial[]> {
  const trials = new Map<string, Trial>();
  const waiting = abuses.values();
  const carryOut = async () => {
    for (const abuse of waiting) {
      const trial = await tryAbuse(abuse, ROOT);
      trials.set(abuse.name, trial);
      process.stderr.write(`${trials.size} of ${abuses.length}, ${abuse.name}: ${outcomeOf(trial)}\n`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, carryOut));
  return abuses.map(({ name }) => trials.get(name)!);
}

function outcomeOf({ skipped, broken }: Trial): string {
  if (skipped !== undefined) return `not tried: ${skipped}`;
  return broken.length === 0 ? "as promised" : broken.join("; ");
}
