import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { usableCores } from "../../suites/engine/measure/machine/cores.ts";
import { WriteError } from "../../suites/engine/measure/machine/write-whole.ts";
import { WORKER_COUNTS } from "../../suites/engine/measure/plan/crews.ts";
import { budgetOf } from "../../suites/engine/measure/plan/timing.ts";
import { readableTime } from "../../suites/engine/table/progress.ts";
import { command, refuse, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import { describeProfile, OPTIONS } from "../../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseDuration,
  parseSeed,
  shownPath,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { checkCommitted, currentCommit } from "../../suites/lab/git.ts";
import type { LabPlan } from "../../suites/lab/kinds/plan.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { nothingFailed, recordedRun } from "../../suites/lab/recorded-run.ts";
import { parseProfile, parseWaitQuiet, parseWorkers, planOn, requestOf } from "../../suites/lab/request.ts";
import { parseRuntimes } from "../../suites/lab/runtimes/runtimes.ts";
import { type FormerNames, recordToday } from "../../suites/lab/schema/names.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { isOnRuntimes, readRecord } from "../../suites/lab/schema/record-file.ts";
import {
  appendLines,
  checkAppendable,
  type History,
  type HistoryLine,
  linesOf,
  readHistory,
} from "../../suites/lab/series/history.ts";
import { saveLocal, saySaved } from "../../suites/lab/store/keep.ts";
import { loadFormerNames } from "../../suites/lab/store/labels.ts";
import { readBetweenRuns } from "../../suites/lab/store/repeats.ts";
import { checkWritable, localFolder, RESULTS } from "../../suites/lab/store/results.ts";
import { blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import { printBlocks } from "../../suites/lab/tables/terminal.ts";
import { judgeRecord } from "../../suites/lab/verdicts/judge-record.ts";
import { deal, dueGroups, parseShard, type Section, type Share, sectionsOf } from "./choice.ts";
import { exitCodeOf, judgeNight } from "./night.ts";
import { failuresOf, summaryBlocks } from "./summary.ts";

const COMMAND = command({
  about:
    "Measures as much as one night has time for, appends it to the history, and reports what got slower.",
  usage: {
    "npm run nightly -- [FILTER...] [options]": "measure, append, judge",
    "npm run nightly -- [FILTER...] --shard 2/4 ...": "measure one part of a night, write its record",
    "npm run nightly -- --from RECORD [options]": "append and judge what was measured",
  },
  before: `A night measures what npm run bench -- --all races, with at most as many workers as cores. FILTERs and --workers
    choose less, as in bench. A group is one scenario at one worker count with all its competitors. Groups that were
    measured longest ago come first, so that a few nights cover all. A group that is larger than the rest of the budget
    waits for the next night. Simulations are omitted because their figures are the same every night, and surveys because
    they have no verdicts.`,
  options: {
    budget: {
      group: "what to measure",
      value: "TIME",
      help: `time for measuring, as 90s, 45m or 1h30m, 1s to 24h (default 60m). Each group counts with all the time that
        the profile gives it. At least one group is measured, even if it is larger than the budget`,
    },
    workers: OPTIONS.workers,
    runtimes: {
      value: "NAME,NAME",
      help: `race contenders in the headline scenarios on these runtimes, or on all, as bench --runtimes does. Such nights
        have a history of their own, in which each cell's name includes its runtime`,
    },
    profile: {
      value: "NAME",
      help: `
        quick     ${describeProfile("quick")}, for trying
        standard  ${describeProfile("standard")}
        full      ${describeProfile("full")} (default)
        a history compares nights of one profile only`,
    },
    seed: OPTIONS.seed,
    "wait-quiet": OPTIONS["wait-quiet"],
    shard: {
      value: "I/N",
      help: `measure the I-th of N parts, each with a budget of its own. All shards divide the night alike if they have the
        same history, commit, request and number of cores. Nothing is appended: the record's path is printed, and --from
        appends one record after the other`,
    },
    from: {
      value: "RECORD",
      isPath: true,
      help: `measure nothing; append the cells of this record. Lines that are already in the
        history are not appended again, and the night is judged as it was then. FILTERs and --workers say what nights
        should cover`,
    },
    history: {
      group: "where things are",
      value: "FILE",
      isPath: true,
      help: `one line of JSON per cell and night, only ever appended to (default results/local/history.ndjson, with
        --runtimes results/local/history-runtimes.ndjson)`,
    },
    out: OPTIONS.out,
  },
  after: `The summary goes to stdout, and is appended to the file that GITHUB_STEP_SUMMARY names, if any. Outside a terminal it is
    markdown. Measuring needs a work tree without uncommitted changes: the lines of a history belong to commits. Progress
    goes to stderr. Ctrl-C stops at once; what was finished is recorded, appended and judged. A later night measures what
    an interrupted one omitted, and nothing twice.`,
  exits: {
    0: "no regression was confirmed tonight",
    1: "a law was broken, a cell has no number, or something could not be written",
    2: "the request was wrong, nothing was measured",
    5: "a regression was confirmed; it is reported once, in the night that confirms it, and takes precedence over 1",
    130: "interrupted, whatever was found",
  },
});

/** What was asked for, and the former names that records and histories may still have. */
type Options = Typed<typeof COMMAND.options>["options"] & {
  readonly history: string;
  readonly formerNames: FormerNames;
};

async function main(typed: Typed<typeof COMMAND.options>): Promise<number> {
  const { words: filters } = typed;
  const { runtimes, history } = typed.options;
  const ofRuntimes = runtimes === undefined ? "" : "-runtimes";
  const options = {
    ...typed.options,
    history: history ?? join(RESULTS, "local", `history${ofRuntimes}.ndjson`),
    formerNames: await loadFormerNames(),
  };
  if (options.from !== undefined) {
    refuse(
      COMMAND,
      typed,
      ["budget", "profile", "seed", "wait-quiet", "shard", "out"],
      "--from measures nothing",
    );
    const record = orUsageError(() => recordToday(readRecord(options.from!), options.formerNames));
    checkHistoryOf(record, options);
    const lines = orUsageError(() => linesOf(record));
    const request = await nightRequest(options, filters, record.profile, record.machine.cores, record.seed);
    const history = openHistory(options);
    sayHistory(options, history);
    const { groups, profile } = await planOf(request, options);
    return track(record, lines, sectionsOf(groups, profile), history, options);
  }
  return measure(options, typed);
}

/** Lines of the lab's own runtime and of several never stand in one history. */
function checkHistoryOf(record: BenchRecord, { from, runtimes }: Options): void {
  if (isOnRuntimes(record) === (runtimes !== undefined)) return;
  throw new UsageError(
    runtimes === undefined
      ? `--from ${from} has races on several runtimes: name them with --runtimes`
      : `--from ${from} has races on the lab's own runtime only: remove --runtimes`,
  );
}

function nightRequest(
  { workers, runtimes }: Options,
  filters: readonly string[],
  profile: string,
  cores: number,
  seed: number,
): Promise<Request> {
  // Named one by one: the full profile would take more workers than cores, too.
  const usual = WORKER_COUNTS.filter((count) => count <= cores);
  return requestOf({
    filters,
    all: runtimes === undefined,
    workers: parseWorkers(workers, cores) ?? usual,
    profile: parseProfile(profile),
    seed,
    cores,
  });
}

/** The races of a request. */
async function planOf(request: Request, { runtimes }: Options): Promise<LabPlan> {
  const named = runtimes === undefined ? [] : parseRuntimes("--runtimes", runtimes);
  const plan = await planOn(named, request);
  if (plan.groups.length === 0) {
    throw new UsageError("no race was requested: a history holds races only, no simulations or surveys");
  }
  // Nor has an overview, whose columns are seldom all measured in one night.
  return { ...plan, simulations: [], surveys: [], overviews: [] };
}

async function measure(
  options: Options,
  { words: filters, argv }: Pick<Typed<typeof COMMAND.options>, "words" | "argv">,
): Promise<number> {
  const budgetMs = parseDuration("--budget", options.budget ?? "60m");
  const waitQuietMs = parseWaitQuiet(options["wait-quiet"]);
  const shard = options.shard === undefined ? undefined : parseShard(options.shard);
  const seed = parseSeed(options.seed);
  const request = await nightRequest(options, filters, options.profile ?? "full", usableCores(), seed);
  const plan = await planOf(request, options);
  const commit = currentCommit();
  checkCommitted(commit, "nightly");
  const history =
    shard === undefined
      ? openHistory(options)
      : orUsageError(() => readHistory(options.history, options.formerNames));
  const out = localFolder(options.out);
  checkWritable(out);
  sayHistory(options, history);

  const sections = sectionsOf(plan.groups, plan.profile);
  const due = sectionsOf(dueGroups(plan.groups, history.lines, plan.profile.name), plan.profile);
  const shares = deal(due, history.lines, plan.profile.name, budgetMs, shard?.count ?? 1);
  const share = shares[(shard?.index ?? 1) - 1]!;
  sayChoice(sections, shares, share, budgetMs);
  const groups = share.sections.flatMap((section) => section.groups);
  const night = { ...plan, groups, budgetMs: budgetOf(plan.profile, groups) };
  const record = await recordedRun(night, {
    command: commandLine("nightly", argv),
    argv,
    commit,
    keptIn: out,
    waitQuietMs,
  });
  if (record.interrupted && record.groups.length === 0) {
    process.stderr.write(NOTHING_FINISHED);
    return EXIT.interrupted;
  }
  // Before the history: what fails from here on can be made up for by --from.
  const saved = saveLocal(record, judgeRecord(record, readBetweenRuns()), undefined, out);
  if (shard !== undefined) {
    for (const path of saved.paths.slice(0, 1)) process.stdout.write(`${shownPath(path)}\n`);
    if (saved.trouble !== undefined) process.stderr.write(`${saved.trouble}\n`);
    if (record.interrupted) return EXIT.interrupted;
    return saved.trouble === undefined &&
      nothingFailed(record) &&
      linesOf(record).every(({ medianNs }) => medianNs !== null)
      ? EXIT.ok
      : EXIT.failed;
  }
  const isSaved = saySaved({ ...saved, paths: saved.paths.slice(0, 1) });
  const status = track(record, linesOf(record), sections, history, options);
  if (record.interrupted) return EXIT.interrupted;
  return isSaved || status !== EXIT.ok ? status : EXIT.failed;
}

function sayChoice(
  sections: readonly Section[],
  shares: readonly Share[],
  own: Share,
  budgetMs: number,
): void {
  const chosen = shares.reduce((sum, share) => sum + share.sections.length, 0);
  const here = shares.length === 1 ? "" : `, ${own.sections.length} of them here`;
  process.stderr.write(
    `${chosen} of ${sections.length} groups are measured${here}, ${sections.length - chosen} wait for later nights\n`,
  );
  const [largest] = own.sections;
  if (own.estimateMs > budgetMs && largest !== undefined) {
    process.stderr.write(
      `${largest.name} alone takes about ${readableTime(largest.estimateMs)}, more than the budget of ${readableTime(budgetMs)}: nothing is measured beside it\n`,
    );
  }
}

/** The history, after checking that it can be appended to. */
function openHistory(options: Options): History {
  return orUsageError(() => {
    const read = readHistory(options.history, options.formerNames);
    checkAppendable(options.history);
    return read;
  });
}

function sayHistory({ history: path }: Options, { lines, damaged }: History): void {
  const known = lines.length === 0 ? "no night yet" : `${lines.length} lines`;
  const lost = damaged.length === 0 ? "" : `, ${damaged.length} damaged ones left out`;
  process.stderr.write(`history ${shownPath(path)}: ${known}${lost}\n`);
}

/** Appends a night to the history, judges it and prints what it says. Returns the exit code. */
function track(
  record: BenchRecord,
  lines: readonly HistoryLine[],
  sections: readonly Section[],
  before: History,
  options: Options,
): number {
  let appended: readonly HistoryLine[];
  try {
    appended = appendLines(options.history, lines, options.formerNames);
  } catch (error) {
    // What was measured is in the record: the night is appended and judged by --from.
    if (!(error instanceof WriteError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT.failed;
  }
  const history = readHistory(options.history, options.formerNames);
  const night = judgeNight(history.lines, lines);
  const failures = failuresOf(record);
  const blocks = summaryBlocks({
    night,
    lines,
    appended: appended.length,
    sections,
    earlier: before.lines,
    damaged: history.damaged,
    interrupted: record.interrupted,
    failures,
  });
  // Printed before anything that may fail: a night reports its regressions once.
  const summary = blocksMarkdown(blocks);
  // Where no person watches it is a page: the workflow appends it to one.
  if (process.stdout.isTTY) printBlocks(process.stdout, blocks);
  else process.stdout.write(summary);
  appendStepSummary(summary);
  return exitCodeOf(night, failures.length > 0);
}

/** For the page of a run of GitHub's actions, which is not what the night is about: its loss is no failure. */
function appendStepSummary(summary: string): void {
  const { GITHUB_STEP_SUMMARY: path } = process.env;
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, summary);
  } catch (error) {
    process.stderr.write(
      `GITHUB_STEP_SUMMARY: ${path} cannot be appended to (${(error as NodeJS.ErrnoException).code})\n`,
    );
  }
}

await runCommand(COMMAND, main);
