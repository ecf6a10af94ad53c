import { dirname, join, relative, resolve } from "node:path";
import type { ParseArgsConfig } from "node:util";
import { loadClaims, loadSuites } from "../../suites/engine/measure/load.ts";
import { describeMachine, usableCores } from "../../suites/engine/measure/machine.ts";
import { PATIENCE_MS, type Request } from "../../suites/engine/measure/plan.ts";
import {
  checkCommitted,
  checkFilters,
  checkUnpublished,
  parseProfile,
} from "../../suites/engine/measure/request.ts";
import { argumentsOf } from "../../suites/engine/measure/resume.ts";
import { crosscheckGroupTable, crosscheckSummary } from "../../suites/engine/render/crosscheck.ts";
import { readableTime } from "../../suites/engine/render/progress.ts";
import { printBlocks, printTable } from "../../suites/engine/render/terminal.ts";
import {
  type CrosscheckRecord,
  crosscheckText,
  readCrosscheck,
} from "../../suites/engine/schema/crosscheck.ts";
import {
  checkResumedAlone,
  commandLine,
  EXIT,
  orUsageError,
  parseArguments,
  parseSeed,
  parseWhole,
  runScript,
  UsageError,
} from "../../suites/engine/schema/usage.ts";
import {
  localCrosscheckPath,
  PUBLISHED_CROSSCHECKS,
  publishedCrosscheckPath,
  writeCrosscheck,
} from "../../suites/engine/store/crosscheck.ts";
import { writeGenerated } from "../../suites/engine/store/generated.ts";
import { checkWritable, currentCommit, RESULTS } from "../../suites/engine/store/results.ts";
import {
  crosscheckEstimateMs,
  everyReadingHasNumber,
  planCrosscheck,
  recordedCrosscheck,
} from "./readings.ts";

const HELP = `Measures one-worker cells with the lab, mitata and tinybench, and says where
they agree.

usage: npm run crosscheck -- [FILTER...] [options]

  FILTER           leading parts of cell names, as for npm run bench (default:
                   pick and timers); the lab's groups are those that bench makes
                   of the same filters

  --all            also the scenarios and variants that bench leaves out without
                   --all
  --turns N        processes of each: the lab alone, the lab raced, mitata and
                   tinybench by turns, 1 to 20 (default 3). A figure is the
                   median over the turns of each process's median
  --seed N         repeat the workload of an earlier run, 0 to 2^32 - 1
                   (default: drawn at random, printed and recorded)
  --list           print the cells and how long they will take; measure nothing

  --out DIR        folder for the record (default results/local)
  --publish        write it to results/crosscheck instead, from a clean work
                   tree, and make the generated pages anew
  --resume RECORD  finish an interrupted run from its record: what was asked
                   then is asked again, and finished groups are not measured
                   anew
  --json           print the record on stdout and the tables on stderr

  --help           this text

A process of the lab is one fork, as bench races it. Where all of them have seen
the machine at its full speed, only what they saw then is compared. Two agree
within 10 %. Where they do not, the table names a reason if the readings bear
one out and "unexplained" if not; neither is an error. Ctrl-C stops at once;
what was finished is kept, marked as interrupted, and can be resumed.

exit codes: 0 measured, agreeing or not; 1 a law was broken or a cell lacks a
number; 2 the request was wrong, nothing was measured; 130 interrupted
`;

const OPTIONS = {
  all: { type: "boolean", default: false },
  turns: { type: "string", default: "3" },
  seed: { type: "string" },
  list: { type: "boolean", default: false },
  out: { type: "string" },
  publish: { type: "boolean", default: false },
  resume: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

const MOST_TURNS = 20;

await runScript(async () => {
  const typed = parse();
  if (typed.options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const previous = typed.options.resume === undefined ? undefined : recordToResume(typed);
  const { options, filters } = previous === undefined ? typed : askedIn(previous, typed);
  const turns = parseWhole("--turns", options.turns, 1, MOST_TURNS);
  const request = await requestOf(options, filters, previous);
  const plan = orUsageError(() => {
    checkFilters(request);
    return planCrosscheck(request, turns);
  });
  if (options.list) {
    const names = plan.groups.flatMap(({ cells }) => cells.map(({ name }) => name));
    const total = `${names.length} cells, about ${readableTime(crosscheckEstimateMs(plan))} in ${turns} turns, and more for large structures`;
    process.stdout.write(`${[...names, total].join("\n")}\n`);
    return EXIT.ok;
  }
  const commit = currentCommit();
  if (options.publish) checkPublishable(commit, options.out);
  const out = resolve(options.out ?? join(RESULTS, "local"));
  orUsageError(() => checkWritable(options.publish ? PUBLISHED_CROSSCHECKS : out));

  const tables = options.json ? process.stderr : process.stdout;
  const identity = { command: commandLine("crosscheck"), commit, previous };
  const record = await recordedCrosscheck(plan, identity, (groups) =>
    printTable(tables, crosscheckGroupTable(groups)),
  );
  const isEmpty = record.groups.length === 0;
  if (!isEmpty) {
    printBlocks(tables, [crosscheckSummary(record)]);
    for (const path of await save(record, options.publish, out)) {
      process.stderr.write(`wrote ${relative(process.cwd(), path)}\n`);
    }
  }
  if (options.json) process.stdout.write(crosscheckText(record));
  if (record.interrupted) {
    const left = isEmpty ? "nothing was finished" : "what was finished is kept, and --resume RECORD goes on";
    process.stderr.write(`interrupted: ${left}\n`);
    return EXIT.interrupted;
  }
  return everyReadingHasNumber(record) ? EXIT.ok : EXIT.noNumber;
});

function parse(args?: readonly string[]) {
  const { options, words } = parseArguments(OPTIONS, args);
  return { options, filters: words };
}

type Typed = ReturnType<typeof parse>;

function recordToResume({ options: { resume, json: _, ...others }, filters }: Typed): CrosscheckRecord {
  checkResumedAlone(others, parse([]).options, filters);
  return orUsageError(() => readCrosscheck(resume!));
}

/** What an interrupted run was asked for; its whole record goes beside the interrupted one unless it had a place. */
function askedIn(previous: CrosscheckRecord, { options: { resume, json } }: Typed): Typed {
  const { options, filters } = parse(argumentsOf(previous));
  if (options.publish) return { options: { ...options, json }, filters };
  return { options: { ...options, json, out: options.out ?? dirname(resume!) }, filters };
}

async function requestOf(
  { all, seed }: Typed["options"],
  filters: readonly string[],
  previous: CrosscheckRecord | undefined,
): Promise<Request> {
  const suites = await loadSuites();
  const candidates = new Map();
  const typedSeed = parseSeed(seed);
  return {
    suites,
    filters: filters.length > 0 ? filters : ["pick", "timers"],
    all,
    workers: [1],
    profile: parseProfile("quick"),
    size: "full",
    seed: previous?.seed ?? typedSeed,
    twins: 1,
    patienceMs: PATIENCE_MS,
    candidates,
    claims: await loadClaims(suites, candidates),
    cores: usableCores(),
  };
}

/** What is published must be made by the commit it names, and not be there already. */
function checkPublishable(commit: CrosscheckRecord["commit"], out: string | undefined): void {
  if (out !== undefined) throw new UsageError("--publish has a place of its own: leave away --out");
  checkCommitted(commit, "--publish");
  const identity = { startedAt: new Date().toISOString(), commit, machine: describeMachine() };
  checkUnpublished(publishedCrosscheckPath(identity));
}

/** An interrupted run is kept as a local one, from where it can be resumed and then published. */
async function save(record: CrosscheckRecord, publish: boolean, out: string): Promise<string[]> {
  const published = publish && !record.interrupted;
  const path = published ? publishedCrosscheckPath(record) : localCrosscheckPath(record, out);
  writeCrosscheck(path, record);
  return published ? [path, ...(await writeGenerated())] : [path];
}
