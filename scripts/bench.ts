import { join } from "node:path";
import { primitives as primitivesOfLab } from "../structures/catalog.ts";
import { judgeScenario } from "../suites/engine/judge/judge.ts";
import { describeMachine, describeRuntime } from "../suites/engine/measure/machine/machine.ts";
import { isContestant, LAB_RUNTIME } from "../suites/engine/measure/plan/plan.ts";
import { FEWEST_FORKS, FEWEST_PUBLISHED_FORKS, groupSharesMs } from "../suites/engine/measure/plan/timing.ts";
import { METHOD_VERSION } from "../suites/engine/schema/envelope.ts";
import { readableTime } from "../suites/engine/table/progress.ts";
import { type OutputStream, terminalOf } from "../suites/engine/table/stream.ts";
import { type Candidate, examineCandidates, loadCandidates, requested } from "../suites/lab/candidates.ts";
import { command, refuse, runCommand, type Typed } from "../suites/lab/command/command.ts";
import { OPTIONS, profileOption } from "../suites/lab/command/options.ts";
import {
  commandLine,
  EXIT,
  NOTHING_FINISHED,
  parseDuration,
  parsePrecision,
  parseSeed,
  sayWritten,
  UsageError,
} from "../suites/lab/command/usage.ts";
import { checkCommitted, currentCommit } from "../suites/lab/git.ts";
import { planEstimateMs } from "../suites/lab/kinds/pace.ts";
import type { LabPlan } from "../suites/lab/kinds/plan.ts";
import { benchByLibrary, parseEngine } from "../suites/lab/library-bench.ts";
import type { OpinionEngine } from "../suites/lab/opinions/opinion.ts";
import { keepsTable } from "../suites/lab/pages/newest.ts";
import { recordPage } from "../suites/lab/pages/pages.ts";
import type { Request } from "../suites/lab/plan/asked.ts";
import { nothingFailed, type RunListener, recordedRun } from "../suites/lab/recorded-run.ts";
import {
  checkUnpublished,
  checkWholeScenarios,
  parseProfile,
  parseWaitQuiet,
  parseWorkers,
  planOn,
  requestOf,
} from "../suites/lab/request.ts";
import { resumed } from "../suites/lab/resume.ts";
import { filtersFor } from "../suites/lab/rivals.ts";
import type { NamedRuntime } from "../suites/lab/runtimes/abilities.ts";
import { ALL_RUNTIMES, LAB_RUNTIMES, parseRuntimes } from "../suites/lab/runtimes/runtimes.ts";
import { NO_CONTENDER, RACING_OTHERS } from "../suites/lab/schema/contenders.ts";
import type { BenchRecord } from "../suites/lab/schema/record.ts";
import { partsOf, readRecord, recordText } from "../suites/lab/schema/record-file.ts";
import type { JudgedRecord } from "../suites/lab/schema/verdict.ts";
import { readAnswer } from "../suites/lab/store/answer.ts";
import { loadPublished, recordFiles, writeGenerated } from "../suites/lab/store/generated.ts";
import { discardKept, saveLocal, saySaved } from "../suites/lab/store/keep.ts";
import { loadFormerNames, loadLabels } from "../suites/lab/store/labels.ts";
import { readBetweenRuns } from "../suites/lab/store/repeats.ts";
import { checkWritable, localFolder, publish, publishedPath, RESULTS } from "../suites/lab/store/results.ts";
import { briefMetrics, briefRace, briefResults } from "../suites/lab/tables/brief.ts";
import { type Labels, raceBlocks } from "../suites/lab/tables/races.ts";
import { metricsTable } from "../suites/lab/tables/tables.ts";
import { printBlocks, printTable } from "../suites/lab/tables/terminal.ts";
import { withAnotherRun } from "../suites/lab/verdicts/another-run.ts";
import type { BetweenRuns } from "../suites/lab/verdicts/between-runs.ts";
import { judgeRecord } from "../suites/lab/verdicts/judge-record.ts";
import { judgeSimulation, judgeSurvey } from "../suites/lab/verdicts/metrics.ts";
import { terminalText } from "../suites/reporter/src/index.ts";

const COMMAND = command({
  about: "Races the lab's competitors and writes the results.",
  usage: { "npm run bench -- [FILTER...] [options]": "" },
  words: {
    FILTER: `leading parts of cell names, primitive/scenario/competitor/workers:
        pick   pick/uniform-8   pick/uniform-8/cas-ring/2w
      A filter that names a primitive alone, or no filter, chooses the headline scenarios without variants of
      competitors. --all adds the others.
      Scenarios with many competitors race their contenders: a baseline and at most ten rivals. --all adds the
      others, and so does a filter that names one. --list prints them.
      The scenario's baseline, its A/A control and the control always race too.`,
  },
  options: {
    all: {
      group: "what to race",
      help: "race every scenario, competitor and variant, also with more workers than cores",
    },
    workers: OPTIONS.workers,
    candidate: {
      value: "FILE",
      isPath: true,
      multiple: true,
      help: `also race a competitor from outside the repository; may be given several times. The default export of FILE
        must fit the primitive's contract (structures/<primitive>/<primitive>.contract.ts). npm run new -- candidate
        FILE writes one to start from. First every law is applied to it; a candidate that breaks one does not race.
        Without a filter it races in its headline scenario, beside the baseline and the leaders`,
    },
    runtimes: {
      value: "NAME,NAME",
      help: `race on these runtimes instead of the lab's own Node: ${LAB_RUNTIMES.join(", ")}, or ${ALL_RUNTIMES}. npm run
        runtimes installs them. Each competitor races against itself on all of them, with ${LAB_RUNTIME}, or else the
        first, as baseline. On each runtime all competitors race against one another. Only races and surveys of bytes
        are made. A competitor is absent where its runtime lacks what it needs`,
    },
    list: OPTIONS.list,
    budget: {
      group: "how",
      value: "TIME",
      help: `time for all races together, as 90s, 5m or 1h. A decided row leaves its time to the others. Each group races
        in at least ${FEWEST_FORKS} processes, however long that takes, or ${FEWEST_PUBLISHED_FORKS} with --publish if each
        worker has a core. Simulations and surveys come on top`,
    },
    precision: {
      value: "SHARE",
      help: "half-width of intervals to reach, 0.1% to 50%; a decided row races on until then",
    },
    profile: profileOption("standard", {
      before: "a budget and a precision, where they are not given:",
      ofFull: ", all worker counts",
    }),
    seed: OPTIONS.seed,
    "wait-quiet": OPTIONS["wait-quiet"],
    engine: {
      value: "NAME",
      help: `let mitata or tinybench measure the one-worker cells instead: one process each, no pairs and no verdicts. The
        results are kept only with --out, as the JSON that --json prints`,
    },
    out: { group: "where the results go", ...OPTIONS.out },
    publish: {
      help: `write them to the published results, from a clean work tree. Whole scenarios only (contenders alone will do),
        at all worker counts up to the cores that are not yet published for this machine and runtime. Pages show the
        newest record of each scenario and worker count; rows that it lacks come from the newest record that has them.
        With --runtimes, which must then name ${LAB_RUNTIME} and another, they go to results/runtimes`,
    },
    resume: OPTIONS.resume,
    details: {
      help: "print all figures of each scenario, and not only its ratios; npm run report -- RECORD does so later",
    },
    json: OPTIONS.json,
  },
  after: `Tables fit the terminal, or 80 columns without one; NO_COLOR=1 turns colours off. Each table is printed when its
    worker count is done. Progress goes to stderr. The length of the run is announced when its first process is done, and
    again if it grows. The record is written after each worker count of a scenario and is complete however the run ends:
    Ctrl-C stops at once, and --resume continues from what was finished.`,
  exits: {
    0: "measured",
    1: "a law was broken, a cell has no number, or results could not be written",
    2: "the request was wrong, nothing was measured",
    130: "interrupted",
  },
});

type Typing = Typed<typeof COMMAND.options>;

/** A bench as it was asked for. */
interface Bench extends Typing {
  /** The interrupted run that this one continues. */
  readonly previous?: BenchRecord;
  readonly candidates: readonly Candidate[];
  readonly request: Request;
  readonly plan: LabPlan;
  /** The library that measures in place of the lab, if one does. */
  readonly engine: OpinionEngine | undefined;
  readonly waitQuietMs: number | undefined;
}

async function main(typed: Typing): Promise<number> {
  const bench = await benchOf(typed);
  const { options, request, plan, candidates, engine } = bench;
  if (options.list) {
    warnTooLittle(bench);
    process.stdout.write(listing(request, plan, terminalOf(process.stdout, process.env).width));
    return EXIT.ok;
  }
  if (engine !== undefined)
    return (await examineCandidates(candidates)) ? measureByLibrary(bench, engine) : EXIT.failed;
  const places = await surroundingsOf(bench);
  warnTooLittle(bench);
  if (!(await examineCandidates(candidates))) return EXIT.failed;
  return keep(bench, places, await race(bench, places));
}

/** What was asked for. Throws a UsageError where that cannot be carried out. */
async function benchOf(typed: Typing): Promise<Bench> {
  const asked = resumed(COMMAND, typed, readRecord);
  const { options, words, previous } = asked;
  const engine = options.engine === undefined ? undefined : parseEngine(options.engine);
  if (engine !== undefined) checkEngineAlone(typed);
  if (options.runtimes !== undefined)
    refuse(COMMAND, typed, ["candidate", "engine"], "--runtimes races the lab's own competitors");
  const runtimes = options.runtimes === undefined ? [] : parseRuntimes("--runtimes", options.runtimes);
  if (options.publish && options.runtimes !== undefined) checkComparable(runtimes);
  const waitQuietMs = parseWaitQuiet(options["wait-quiet"]);
  const { precision, budget } = options;
  const profile = {
    ...parseProfile(options.profile),
    ...(precision === undefined ? {} : { precision: parsePrecision(precision) }),
    ...(options.publish ? { fewestForks: FEWEST_PUBLISHED_FORKS } : {}),
  };
  const candidates = await loadCandidates(options.candidate, words);
  const isAlone = candidates.length > 0 && words.length === 0 && !options.all;
  const request = await requestOf({
    filters: isAlone ? await filtersFor(candidates) : words,
    all: options.all,
    workers: parseWorkers(engine === undefined ? options.workers : "1"),
    profile,
    budgetMs: budget === undefined ? undefined : parseDuration("--budget", budget),
    seed: previous?.seed ?? parseSeed(options.seed),
    ...requested(candidates),
  });
  const plan = await planOn(runtimes, request);
  return { ...asked, candidates, request, plan, engine, waitQuietMs };
}

function measureByLibrary({ options, argv, request, waitQuietMs }: Bench, engine: OpinionEngine) {
  const { json, out } = options;
  return benchByLibrary(request, {
    engine,
    command: commandLine("bench", argv),
    argv,
    waitQuietMs,
    json,
    out,
  });
}

/** The commit that measures, where results go, and what was published before. */
interface Surroundings {
  readonly commit: BenchRecord["commit"];
  readonly out: string;
  readonly labels: ReadonlyMap<string, Labels>;
  readonly betweenRuns: BetweenRuns | undefined;
}

/** Throws a UsageError where results cannot be written. */
async function surroundingsOf({ options, request, plan }: Bench): Promise<Surroundings> {
  const commit = currentCommit();
  if (options.publish) {
    const isElsewhere = options.candidate.length > 0 || options.out !== undefined;
    await checkPublishable(request, plan, commit, isElsewhere);
  }
  const out = localFolder(options.out);
  checkWritable(options.publish ? RESULTS : out);
  const primitives = new Set(partsOfPlan(plan).map(({ primitive }) => primitive));
  return { commit, out, labels: await loadLabels(primitives), betweenRuns: readBetweenRuns() };
}

function race(
  { options, argv, previous, plan, waitQuietMs }: Bench,
  { commit, out, labels, betweenRuns }: Surroundings,
): Promise<BenchRecord> {
  const identity = { command: commandLine("bench", argv), argv, commit, previous, keptIn: out, waitQuietMs };
  return recordedRun(plan, identity, tablePrinter(labels, betweenRuns, options));
}

/** Prints the results of a whole run, and writes its record and pages. Returns the command's exit code. */
async function keep(
  { options }: Bench,
  { out, labels, betweenRuns }: Surroundings,
  record: BenchRecord,
): Promise<number> {
  const verdicts = judgeRecord(record, betweenRuns);
  const parts = partsOf(record);
  const results = record.interrupted ? undefined : briefResults(verdicts, labels);
  if (results !== undefined) {
    printBlocks(tablesOf(options), [results]);
    tablesOf(options).write("\n");
  }
  let isSaved = true;
  if (options.publish && !record.interrupted) {
    const primitives = new Set(parts.map(({ primitive }) => primitive));
    sayWritten([...publish(record), ...(await writeGenerated(await loadPublished(), primitives))]);
    discardKept(record, out);
  } else if (parts.length > 0) {
    isSaved = saySaved(saveLocal(record, verdicts, localPage({ record, verdicts }, labels), out));
  }
  if (options.json) process.stdout.write(recordText(record));
  if (record.interrupted) {
    process.stderr.write(
      parts.length === 0
        ? NOTHING_FINISHED
        : "interrupted: what was finished is kept; npm run report -- RECORD makes its tables, --resume RECORD continues\n",
    );
    return EXIT.interrupted;
  }
  const everyRowHasNumber = verdicts.races.every(({ rows }) =>
    rows.every(({ noNumber }) => noNumber === undefined),
  );
  return isSaved && everyRowHasNumber && nothingFailed(record) ? EXIT.ok : EXIT.failed;
}

/** Refuses options that a library cannot use: options for pairs, several workers or published records. */
function checkEngineAlone(typed: Typing): void {
  const measuresOnce = "--engine measures each cell once and";
  refuse(COMMAND, typed, ["publish", "list", "profile"], `${measuresOnce} pairs nothing`);
  refuse(COMMAND, typed, ["budget", "precision"], `${measuresOnce} races nothing`);
  const { workers } = typed.options;
  if (workers !== undefined && workers.trim() !== "1") {
    throw new UsageError(`--engine measures one worker: remove --workers ${workers}, or make it 1`);
  }
}

/** The page beside a local record; none for an interrupted run, whose user wants the prompt back, not statistics. */
function localPage(judged: JudgedRecord, labels: ReadonlyMap<string, Labels>): string | undefined {
  return judged.record.interrupted
    ? undefined
    : recordPage("Results of a local run", judged, "the record beside this page", { labels });
}

/** Prints each table as soon as it is complete; absent competitors are named once for all worker counts of a scenario. */
function tablePrinter(
  labels: ReadonlyMap<string, Labels>,
  betweenRuns: BetweenRuns | undefined,
  options: Typing["options"],
): RunListener {
  const tables = tablesOf(options);
  const [blocksOf, tableOf] = options.details ? [raceBlocks, metricsTable] : [briefRace, briefMetrics];
  return {
    raced(groups, isLast) {
      const { absent, ...judged } = withAnotherRun(judgeScenario(groups), betweenRuns);
      const table = { ...judged, absent: isLast ? absent : [] };
      printBlocks(tables, blocksOf(table, labels.get(judged.primitive)));
      tables.write("\n");
    },
    simulated: (simulation) => printTable(tables, tableOf(judgeSimulation(simulation))),
    surveyed: (survey) => printTable(tables, tableOf(judgeSurvey(survey))),
  };
}

/** Where tables go. */
function tablesOf({ json }: Typing["options"]): OutputStream {
  return json ? process.stderr : process.stdout;
}

function partsOfPlan({ groups, simulations, surveys }: LabPlan) {
  return [...groups, ...simulations, ...surveys];
}

/** What is published says what other runtimes are beside the lab's own. */
function checkComparable([first, ...others]: readonly NamedRuntime[]): void {
  if (first?.name === LAB_RUNTIME && others.length > 0) return;
  throw new UsageError(
    `--publish compares other runtimes with ${LAB_RUNTIME}: let --runtimes name it and another`,
  );
}

/** What is published must be whole, made by the commit it names, and not there already. */
async function checkPublishable(
  request: Request,
  plan: LabPlan,
  commit: BenchRecord["commit"],
  isElsewhere: boolean,
): Promise<void> {
  if (isElsewhere) {
    throw new UsageError("--publish excludes --candidate and --out: remove them");
  }
  checkCommitted(commit, "--publish");
  const parts = partsOfPlan(plan);
  const onRuntimes = [...plan.groups, ...plan.surveys].some(({ runtimes }) => runtimes !== undefined);
  const run = { machine: describeMachine(), runtime: describeRuntime(), methodVersion: METHOD_VERSION };
  const primitives = new Set(parts.map(({ primitive }) => primitive));
  const formerNames = await loadFormerNames();
  const published = new Map(
    [...primitives].map((primitive) => [
      primitive,
      recordFiles(primitive, onRuntimes, formerNames, run.machine.slug),
    ]),
  );
  checkWholeScenarios(request, parts, (primitive, scenario, workers) =>
    keepsTable(published.get(primitive)!, run, scenario, workers),
  );
  // The page of all primitives is made again after a run; what it cannot be made from is better known before it.
  for (const primitive of primitivesOfLab()) readAnswer(join(RESULTS, primitive));
  const identity = { startedAt: new Date().toISOString(), commit, machine: run.machine };
  for (const primitive of primitives) {
    checkUnpublished(publishedPath(identity, primitive, onRuntimes));
  }
}

/** The cells of a plan and how long they take, in lines of at most `width` characters. */
function listing(request: Request, plan: LabPlan, width: number): string {
  const sharesMs = groupSharesMs(plan);
  const lines = plan.groups.flatMap((group, place) => {
    const eachMs = sharesMs[place]! / group.crews.length;
    const racers = group.crews.filter(isContestant);
    const remark = group.oversubscribed ? "  oversubscribed" : "";
    return racers.map(({ name }) => {
      const cell = `${group.primitive}/${group.scenario}/${name}/${group.workers}w`;
      return listed(cell, `${readableTime(eachMs).padStart(9)}${remark}`, width);
    });
  });
  const simulated = plan.simulations.flatMap(({ primitive, scenario, entries, seeds }) => {
    const often = seeds.length === 1 ? "" : ` from ${seeds.length} seeds`;
    return entries.map(({ name }) => listed(`${primitive}/${scenario}/${name}`, `simulated${often}`, width));
  });
  const surveyed = plan.surveys.flatMap(({ primitive, scenario, entries, forks }) =>
    entries.map(({ name }) => listed(`${primitive}/${scenario}/${name}`, `surveyed ${forks} times`, width)),
  );
  const absent = partsOfPlan(plan).flatMap(({ primitive, scenario, absent: absences }) =>
    absences
      .filter(({ reason }) => reason !== NO_CONTENDER)
      .map(({ competitor, reason }) =>
        listed(`${primitive}/${scenario}/${competitor}`, `absent: ${reason}`, width),
      ),
  );
  const others = partsOfPlan(plan).flatMap(({ primitive, scenario, absent: absences }) => {
    const names = absences.flatMap(({ competitor, reason }) => (reason === NO_CONTENDER ? competitor : []));
    if (names.length === 0) return [];
    const remark = `no contenders, and not raced with them (${RACING_OTHERS}): ${names.join(", ")}`;
    return listed(`${primitive}/${scenario}`, remark, width);
  });
  const { name, precision } = request.profile;
  const total = `${lines.length + simulated.length + surveyed.length} cells, at most about ${readableTime(planEstimateMs(plan))} at profile ${name}, to ${100 * precision} %`;
  const besides = new Set([...absent, ...others]);
  return `${[...lines, ...simulated, ...surveyed, ...besides, total].join("\n")}\n`;
}

/** Says before anything is raced that the fewest processes take longer than was asked for. */
function warnTooLittle({ options: { budget }, plan }: Bench): void {
  if (budget === undefined) return;
  const leastMs = planEstimateMs({ ...plan, simulations: [], surveys: [] });
  // An estimate is no better than that.
  if (leastMs < 1.1 * plan.budgetMs) return;
  process.stderr.write(
    `--budget ${budget} is passed: the fewest processes of each group take about ${readableTime(leastMs)}\n`,
  );
}

/** Names of cells are shorter, with few exceptions. */
const LISTED_NAME = 52;

/** A cell and what there is to say of it: beside it where that fits, else below. */
function listed(cell: string, remark: string, width: number): string {
  const line = `${cell.padEnd(LISTED_NAME)} ${remark}`;
  if (line.length <= width) return line;
  const indent = "    ";
  const below = terminalText(remark.trim(), { width: width - indent.length, colour: false });
  return `${cell}\n${indent}${below.replaceAll("\n", `\n${indent}`)}`;
}

await runCommand(COMMAND, main);
