import { fileURLToPath } from "node:url";
import { primitives as primitivesOfLab } from "../../structures/catalog.ts";
import { commitOf, repositoryOf } from "../../suites/engine/cli/commits/git.ts";
import type { CommitsOutcome } from "../../suites/engine/cli/commits/outcome.ts";
import { raceCommits } from "../../suites/engine/cli/commits/race-commits.ts";
import {
  appendOutcome,
  outcomeJson,
  outcomeMarkdown,
  outcomeText,
} from "../../suites/engine/cli/commits/table.ts";
import { textOptionsFor } from "../../suites/engine/cli/report-text.ts";
import { usableCores } from "../../suites/engine/measure/machine/cores.ts";
import { assertWritable } from "../../suites/engine/measure/machine/scratch.ts";
import { command, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import { OPTIONS, profileOption } from "../../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseName,
  parseSeed,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { currentCommit } from "../../suites/lab/git.ts";
import { parseWaitQuiet, parseWorkers, usualRequest } from "../../suites/lab/request.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { saveLocal, saySaved } from "../../suites/lab/store/keep.ts";
import { checkWritable, localFolder } from "../../suites/lab/store/results.ts";
import { loadSuites } from "../../suites/lab/suites.ts";
import { judgeRecord } from "../../suites/lab/verdicts/judge-record.ts";
import { sidesOfCompetitors } from "./competitors.ts";
import { compareProfile } from "./plan.ts";
import { Recording } from "./recording.ts";

const { precision, secondsPerCell } = compareProfile("compare", "full");

const COMMAND = command({
  about: "Shows what a change of code made faster or slower.",
  usage: {
    "npm run compare -- BASE [HEAD] [FILTER...] [options]": "",
  },
  before: `The competitors of two revisions race against each other in the same processes, by the suites and the engine of the
    working tree.`,
  words: {
    "BASE, HEAD": `git revisions: main, HEAD~3, v1.2, 1a2b3c4. Without HEAD, the working tree is compared, including
      uncommitted changes. Each revision is checked out in a temporary folder, which is removed again. A word that is a
      primitive's name or begins with one is a FILTER.`,
    FILTER: `leading parts of cell names, as in bench:
        pick  pick/uniform-8  pick/uniform-8/cas-ring/2w
      Cells that a filter names race whether or not their code changed. Without a filter, the headline scenarios of
      every competitor race whose module, or any file that it imports, has changed, comments included. Only races are
      compared.`,
  },
  options: {
    all: {
      help: "all scenarios instead of the headline ones; also with more workers than cores",
    },
    workers: { ...OPTIONS.workers, help: "worker counts (default: 1 and 2, up to the cores)" },
    profile: profileOption("compare", {
      own: { compare: `${secondsPerCell} s for each of base, A/A control and head, to ${100 * precision} %` },
      ofFull: ", all worker counts if --all",
    }),
    size: {
      value: "SIZE",
      default: "full",
      help: `full (default), or smoke: the smallest parameters and hardly any rounds, to see that everything works; the
        numbers mean nothing`,
    },
    seed: OPTIONS.seed,
    "wait-quiet": OPTIONS["wait-quiet"],
    out: OPTIONS.out,
    json: {
      help: "print the JSON of hotpath-race --base on stdout and the table on stderr",
    },
  },
  after: `What stays unclear races on with V8 compiling in the thread that runs, so that all processes have the same code; a
    line has both ratios where that decides, or contradicts. What comes out slower, or fails, races once more in fresh
    processes: only what does so twice counts. stdout has
    the table alone; in a job of GitHub the summary of its step gets it, too. Tables fit the terminal. NO_COLOR=1 turns
    colours off. Progress goes to stderr. Ctrl-C stops at once; what was finished is kept.`,
  exits: {
    0: "nothing is slower",
    1: "the head alone broke a law or has no number, or results could not be written",
    2: "the request was wrong, or nothing was compared",
    3: "something is slower, in both of two races",
    130: "interrupted",
  },
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

type Asked = Typed<typeof COMMAND.options>;
type Options = Asked["options"];

async function main({ words: [base, ...others], options, argv }: Asked): Promise<number> {
  if (base === undefined) throw new UsageError("say what to compare: BASE [HEAD] [FILTER...] (see --help)");
  const { head, filters } = headAndFilters(others);
  const size = parseName("--size", options.size, ["full", "smoke"]);
  const usualWorkers = options.all ? undefined : [1, 2].filter((count) => count <= usableCores());
  const seed = parseSeed(options.seed);
  const usual = usualRequest({
    filters,
    all: options.all,
    workers: parseWorkers(options.workers) ?? usualWorkers,
    profile: compareProfile(options.profile, size),
    size,
    seed,
  });
  const out = localFolder(options.out);
  const identity = {
    command: commandLine("compare", argv),
    argv,
    // Of the suites and the engine.
    commit: currentCommit(),
    keptIn: out,
    waitQuietMs: parseWaitQuiet(options["wait-quiet"]),
  };
  orUsageError(assertWritable);
  checkWritable(out);
  const stop = new AbortController();
  let recording: Recording | undefined;
  const sides = sidesOfCompetitors({
    asked: { suites: await loadSuites(), ...usual },
    record: (request) => (recording = new Recording(request, identity)),
    stop: () => stop.abort(),
  });
  const compared = await raceCommits(
    {
      base,
      head,
      folder: ROOT,
      failOn: "slower",
      budgetMs: undefined,
      seed,
      signal: stop.signal,
      announced: (line) => process.stderr.write(`${line}\n`),
    },
    sides,
  );
  const record = recording?.end();
  if (stop.signal.aborted) return interrupted(record, out);
  const outcome = {
    ...compared,
    remarks: [...compared.remarks, ...lostForks(record), ...(record === undefined ? [] : HOW_TO_READ)],
  };
  const isSaved =
    record === undefined || saySaved(saveLocal(record, judgeRecord(record), outcomeMarkdown(outcome), out));
  print(options, outcome, seed);
  return isSaved ? outcome.exitCode : EXIT.failed;
}

/** The second word is a revision unless it begins as cells' names do. */
function headAndFilters(words: readonly string[]) {
  const [word] = words;
  if (word === undefined) return { head: undefined, filters: [] };
  const isFilter = primitivesOfLab().includes(word.split("/")[0]!);
  const isRevision = () =>
    commitOf(
      orUsageError(() => repositoryOf(ROOT)),
      word,
    ) !== undefined;
  if (isFilter && !word.endsWith("/") && isRevision()) {
    throw new UsageError(
      `${word} is a primitive and a revision: write refs/heads/${word} for the one, ${word}/ for the other`,
    );
  }
  return isFilter ? { head: undefined, filters: words } : { head: word, filters: words.slice(1) };
}

function interrupted(record: BenchRecord | undefined, out: string): number {
  if (record === undefined) process.stderr.write(NOTHING_FINISHED);
  else {
    saySaved(saveLocal(record, judgeRecord(record), undefined, out));
    process.stderr.write("interrupted: only what was finished is kept, in the record\n");
  }
  return EXIT.interrupted;
}

function lostForks(record: BenchRecord | undefined): string[] {
  const groups = record?.groups ?? [];
  return groups.flatMap(({ primitive, scenario, workers, lostForks }) =>
    lostForks.map(
      ({ fork, reason }) => `${primitive}/${scenario} ${workers}w, fork ${fork + 1} was lost: ${reason}`,
    ),
  );
}

const HOW_TO_READ = [
  "base, head: what one worker waits for one operation. ratio: head over base, raced side by side, with the interval that the verdict rests on. Only what is slower in two races is called slower, by the figures of the second",
  "faster, slower: the interval of the ratio lies wholly beyond the noise floor. same: wholly within 3 %. depends: the processes fall into two groups that answer differently. cannot tell: none of these; (sees x %) is the least difference that would have been seen. no power: the same beside a floor over 10 %",
];

function print({ json }: Options, outcome: CommitsOutcome, seed: number): void {
  const isNothing = outcome.exitCode === EXIT.usage;
  const stream = json || isNothing ? process.stderr : process.stdout;
  stream.write(outcomeText(outcome, textOptionsFor(stream)));
  if (json && !isNothing) process.stdout.write(outcomeJson(outcome, "hotpath-lab", seed, []));
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary) appendOutcome(summary, outcome);
}

await runCommand(COMMAND, main);
