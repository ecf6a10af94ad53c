import { rmSync } from "node:fs";
import { basename } from "node:path";
import { describeMachine } from "../../suites/engine/measure/machine/machine.ts";
import { readableTime } from "../../suites/engine/table/progress.ts";
import { command, runCommand, type Typed } from "../../suites/lab/command/command.ts";
import { OPTIONS } from "../../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  orUsageError,
  parseDuration,
  parseName,
  parseSeed,
  parseWhole,
  UsageError,
} from "../../suites/lab/command/usage.ts";
import { checkCommitted, currentCommit } from "../../suites/lab/git.ts";
import { verdictsBlocks, verdictsPage } from "../../suites/lab/pages/calibration/calibration-verdicts.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { checkFilters, checkUnpublished, parseWaitQuiet, requestOf } from "../../suites/lab/request.ts";
import { resumed } from "../../suites/lab/resume.ts";
import { type CalibrationRecord, failuresOf, readCalibration } from "../../suites/lab/schema/calibration.ts";
import { recordText } from "../../suites/lab/schema/record-file.ts";
import {
  localCalibrationPath,
  othersBeside,
  PUBLISHED_CALIBRATIONS,
  publishedCalibrationPath,
} from "../../suites/lab/store/calibration.ts";
import { loadPublished, writeGenerated } from "../../suites/lab/store/generated.ts";
import { KeptRecord, type Saved, saveSomewhere, saySaved } from "../../suites/lab/store/keep.ts";
import { checkWritable, localFolder, type RecordIdentity, writeAll } from "../../suites/lab/store/results.ts";
import { printBlocks } from "../../suites/lab/tables/terminal.ts";
import {
  CALIBRATION_PROFILES,
  measureVerdicts,
  planVerdicts,
  USUAL_CELLS,
  type VerdictsPlan,
  verdictsEstimateMs,
} from "./verdicts.ts";

const COMMAND = command({
  about: "Measures how far the lab's verdicts can be trusted.",
  usage: {
    "npm run calibrate -- verdicts [CELL...] [options]": `how often verdicts are wrong, and how small a difference they
      detect`,
  },
  before: `Each group holds six equal crews of a cell's competitor and four that do 1 to 20 % more work than they count. A
    verdict of faster or slower between equals is a false alarm; a slowed crew that is not called slower than an equal one
    was missed. A group is judged after as many forks as racing would have given it. Last, the equals of each cell race without
    the slowed crews; equals of groups and runs that never met are compared, too. The cells of one worker are then read
    by mitata and tinybench, one process for each reading.`,
  words: {
    CELL: `whole names of cells, primitive/scenario/competitor/workers;
      without:
        ${USUAL_CELLS.join("\n        ")}`,
  },
  options: {
    turns: {
      value: "N",
      help: `groups for each cell, 1 to 1000 (default: the profile's). Without the one that sets the floor, the equals of a
        group make ten comparisons, and five with each slowed crew`,
    },
    profile: {
      value: "NAME",
      default: "short",
      help: `how much is measured:
        short  ${profileText("short")} (default)
        hour   ${profileText("hour")}`,
    },
    disturbed: {
      help: `measure beside a process that takes 0.3 of a core in bursts of 5 to 50 ms (scripts/calibrate/disturber.ts). The
        goals are then for twice the differences`,
    },
    "compiled-alike": {
      help: `race each group a second time in every turn, with V8 compiling in the thread that runs: all processes then have
        the same code, and npm run compare decides small differences so`,
    },
    budget: OPTIONS.budget,
    opinions: {
      value: "N",
      help: `turns in which each library measures each cell, 0 to 1000: three times unchanged, and once for each slowdown
        (default: the same as --turns)`,
    },
    seed: OPTIONS.seed,
    "wait-quiet": OPTIONS["wait-quiet"],
    list: OPTIONS.list,
    out: OPTIONS.out,
    publish: {
      help: `write them to results/calibration instead, from a clean work tree, and make the generated pages again`,
    },
    resume: OPTIONS.resume,
    json: OPTIONS.json,
  },
  after: "Ctrl-C stops at once; what was finished is kept, marked as interrupted, and can be resumed.",
  exits: {
    0: "measured",
    1: "a group or reading lacks a number",
    2: "the request was wrong, nothing was measured",
    130: "interrupted",
  },
});

type Asked = Typed<typeof COMMAND.options>;
type Options = Asked["options"];

async function main(typed: Asked): Promise<number> {
  const { options, words, argv, previous } = resumed(COMMAND, typed, readCalibration);
  checkPart(words);
  const waitQuietMs = parseWaitQuiet(options["wait-quiet"]);
  const request = await requestOf({
    filters: words.length > 1 ? words.slice(1) : USUAL_CELLS,
    all: true,
    profile: CALIBRATION_PROFILES[profileOf(options)].profile,
    budgetMs: options.budget === undefined ? undefined : parseDuration("--budget", options.budget),
    seed: previous?.seed ?? parseSeed(options.seed),
  });
  const plan = orUsageError(() => {
    checkFilters(request);
    return planOf(request, options);
  });
  if (options.list) {
    const cells = plan.cells.map(({ name }) => name);
    const time = readableTime(verdictsEstimateMs(plan));
    const total = `${cells.length} cells, about ${time}, and more for large structures`;
    process.stdout.write(`${[...cells, total].join("\n")}\n`);
    return EXIT.ok;
  }
  const commit = currentCommit();
  const startedAt = previous?.startedAt ?? new Date().toISOString();
  if (options.publish) checkPublishable({ startedAt, commit, machine: describeMachine() }, options.out);
  const out = localFolder(options.out);
  checkWritable(options.publish ? PUBLISHED_CALIBRATIONS : out);

  const tables = options.json ? process.stderr : process.stdout;
  const { disturbed: isDisturbed } = options;
  const identity = { command: commandLine("calibrate", argv), argv, commit, waitQuietMs, isDisturbed };
  const kept = new KeptRecord((line) => process.stderr.write(line));
  const keep = (record: CalibrationRecord) =>
    kept.keep(localCalibrationPath(record, out), record, record.groups.length);
  const record = await measureVerdicts(plan, identity, previous, keep);
  const isEmpty = record.groups.length === 0;
  let isSaved = true;
  if (!isEmpty) {
    const saved = await save(record, options.publish, out);
    if (!record.interrupted) {
      const [path = "the record"] = saved.paths;
      printBlocks(tables, verdictsBlocks(record, basename(path), othersBeside(record)));
    }
    isSaved = saySaved(saved);
  }
  if (options.json) process.stdout.write(recordText(record));
  if (record.interrupted) {
    process.stderr.write(
      isEmpty ? NOTHING_FINISHED : "interrupted: what was finished is kept, and --resume RECORD goes on\n",
    );
    return EXIT.interrupted;
  }
  return isSaved && failuresOf(record).length === 0 ? EXIT.ok : EXIT.failed;
}

type ProfileName = keyof typeof CALIBRATION_PROFILES;

function profileOf({ profile }: Pick<Options, "profile">): ProfileName {
  return parseName("--profile", profile, Object.keys(CALIBRATION_PROFILES) as ProfileName[]);
}

function profileText(name: ProfileName): string {
  const { turns, profile } = CALIBRATION_PROFILES[name];
  return `${turns} groups for each cell, ${profile.secondsPerCell} s for each crew, twice that for large sets and where workers outnumber cores`;
}

function planOf(request: Request, { turns, opinions, ...options }: Options): VerdictsPlan {
  const usualTurns = CALIBRATION_PROFILES[profileOf(options)].turns;
  const groups = parseWhole("--turns", turns ?? String(usualTurns), 1, 1000);
  const readings = parseWhole("--opinions", opinions ?? String(groups), 0, 1000);
  return planVerdicts(request, groups, readings, options["compiled-alike"]);
}

function checkPart([word]: readonly string[]): void {
  if (word === undefined)
    throw new UsageError("say what to calibrate: npm run calibrate -- verdicts (see --help)");
  parseName("calibrate", word, ["verdicts"], " (cells come behind it: npm run calibrate -- verdicts CELL)");
}

/** What is published must be made by the commit it names, and not be there already. */
function checkPublishable(identity: RecordIdentity, out: string | undefined): void {
  if (out !== undefined)
    throw new UsageError(
      "--publish excludes --out, because published results have a fixed place: remove --out",
    );
  checkCommitted(identity.commit, "--publish");
  checkUnpublished(publishedCalibrationPath(identity));
}

/** Writes a record and its page. An interrupted run is kept as a local one, from where it can be resumed and then published. */
async function save(record: CalibrationRecord, publish: boolean, out: string): Promise<Saved> {
  const local = localCalibrationPath(record, out);
  if (publish && !record.interrupted) {
    const path = publishedCalibrationPath(record);
    const paths = [
      ...writeAll(new Map([[path, recordText(record)]])),
      ...(await writeGenerated(await loadPublished())),
    ];
    rmSync(local, { force: true });
    return { paths };
  }
  const file = basename(local);
  const page = record.interrupted
    ? []
    : [[file.replace(/json$/, "md"), verdictsPage(record, file, othersBeside(record))] as const];
  return saveSomewhere(local, record, new Map(page));
}

await runCommand(COMMAND, main);
