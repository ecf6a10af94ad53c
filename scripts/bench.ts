import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import {
  contractOf,
  type Entry,
  entryForFile,
  isCompetitorName,
  loadCompetitor,
  primitives as primitivesOfLab,
} from "../structures/catalog.ts";
import { LANGUAGE_FLAGS } from "../suites/engine/flags.ts";
import { type JudgedScenario, judgeRecord, judgeScenario } from "../suites/engine/judge/judge.ts";
import { loadClaims, loadSuites } from "../suites/engine/load.ts";
import {
  allCells,
  chosenCells,
  forkEstimateMs,
  type LoadedSuite,
  makePlan,
  matches,
  mostWorkers,
  PATIENCE_MS,
  type Plan,
  PROFILES,
  type Request,
} from "../suites/engine/measure/plan.ts";
import { planEstimateMs, run } from "../suites/engine/measure/run.ts";
import {
  groupRecord,
  overviewRecords,
  simulationRecord,
  surveyRecord,
} from "../suites/engine/record/assemble.ts";
import {
  describeMachine,
  describeRuntime,
  observeWeather,
  usableCores,
} from "../suites/engine/record/machine.ts";
import {
  type BenchRecord,
  METHOD_VERSION,
  readRecord,
  recordText,
  SCHEMA_VERSION,
} from "../suites/engine/record/record.ts";
import { argumentsOf, doneIn, NOTHING_DONE } from "../suites/engine/record/resume.ts";
import {
  checkWritable,
  currentCommit,
  publish,
  publishedPath,
  RESULTS,
  saveLocal,
} from "../suites/engine/record/store.ts";
import { readAnswer } from "../suites/engine/report/answer.ts";
import { writeGenerated } from "../suites/engine/report/generated.ts";
import { recordPage, scenarioText, simulationText, surveyText } from "../suites/engine/report/pages.ts";
import { progressLine, readableTime } from "../suites/engine/report/progress.ts";
import { EXIT, nearestFirst, orUsageError, runScript, UsageError } from "../suites/engine/usage.ts";

const HELP = `Races the lab's competitors and writes what was seen.

usage: npm run bench -- [FILTER...] [options]

  FILTER   leading parts of cell names, primitive/scenario/competitor/workers:
             pick   pick/uniform-8   pick/uniform-8/cas-ring/2w
           Of a primitive alone, and of all without a filter, the headline
           scenarios are raced, without variants of a competitor; --all adds
           the others.
           A filtered competitor always has the scenario's baseline, its twin
           and the control beside it.

what to race
  --all                race every scenario and every variant, also with more
                       workers than cores
  --workers 1,2,4      worker counts, each 1 to ${mostWorkers(1, usableCores())} on this machine (default: 1, 2, 4, 8
                       up to the cores; more workers than cores is marked
                       oversubscribed)
  --candidate FILE     race a competitor from outside the repository along; may be
                       given several times. FILE's default export must fit the
                       primitive's contract (structures/<primitive>/<primitive>.contract.ts)
  --list               print the cells and how long they will take; measure nothing

how
  --profile NAME       quick     ${describeProfile("quick")}
                       standard  ${describeProfile("standard")} (default)
                       full      ${describeProfile("full")}, all worker counts
                       contended groups have twice the forks and half the rounds
  --seed N             repeat the order and workload of an earlier run, 0 to 2^32 - 1
                       (default: drawn at random, printed and recorded)
  --twins N            twins of each baseline, 1 to 8 (default 1); the first sets the
                       noise floor, the others are judged like competitors

where the results go
  --out DIR            folder for record and tables (default results/local)
  --publish            write them where the repository keeps its published results;
                       whole primitives only (--all), from a clean work tree
  --resume RECORD      finish an interrupted run from its record: what was asked then is
                       asked again, and finished groups are not raced anew
  --json               print the record on stdout and the tables on stderr; npm has a
                       word on stdout too unless called as npm run -s bench

  --help               this text

Progress goes to stderr. Ctrl-C stops at once; what was finished is kept, marked as
interrupted, and can be resumed.

exit codes: 0 measured; 1 a law was broken or a cell has no number; 2 the request
was wrong, nothing was measured; 130 interrupted
`;

const OPTIONS = {
  all: { type: "boolean", default: false },
  workers: { type: "string" },
  candidate: { type: "string", multiple: true, default: [] },
  list: { type: "boolean", default: false },
  profile: { type: "string", default: "standard" },
  seed: { type: "string" },
  twins: { type: "string", default: "1" },
  out: { type: "string" },
  publish: { type: "boolean", default: false },
  resume: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

async function main(): Promise<number> {
  const typed = parse(process.argv.slice(2));
  if (typed.options.help) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const previous = typed.options.resume === undefined ? undefined : recordToResume(typed);
  const { options, filters } = previous === undefined ? typed : askedIn(previous, typed);
  const suites = await loadSuites();
  const cores = usableCores();
  const twins = parseWhole("--twins", options.twins, 1, 8);
  const candidates = await loadCandidates(options.candidate, suites, filters);
  const request: Request = {
    suites,
    filters,
    all: options.all,
    workers: options.workers === undefined ? undefined : parseWorkers(options.workers, twins, cores),
    profile: parseProfile(options.profile),
    size: "full",
    seed:
      previous?.seed ??
      (options.seed === undefined ? randomInt(2 ** 32) : parseWhole("--seed", options.seed, 0, 2 ** 32 - 1)),
    twins,
    patienceMs: PATIENCE_MS,
    candidates,
    claims: await loadClaims(suites, candidates),
    cores,
  };
  const plan = orUsageError(() => {
    checkFilters(request);
    return makePlan(request);
  });
  if (options.list) {
    process.stdout.write(listing(request, plan));
    return EXIT.ok;
  }
  const commit = currentCommit();
  if (options.publish) {
    checkPublishable(request, plan, commit, options.candidate.length > 0 || options.out !== undefined);
  }
  const out = resolve(options.out ?? join(RESULTS, "local"));
  orUsageError(() => checkWritable(options.publish ? RESULTS : out));

  const tables = options.json ? process.stderr : process.stdout;
  const { record, everyRowHasNumber } = await measure(plan, commit, tables, previous);
  if (record.groups.length + record.simulations.length + record.surveys.length > 0) {
    const saved =
      options.publish && !record.interrupted
        ? [...publish(record), ...(await writeGenerated())]
        : saveLocal(record, localPage(record), out);
    process.stderr.write(`wrote ${saved.map((path) => relative(process.cwd(), path)).join("\n      ")}\n`);
  }
  if (record.interrupted) {
    process.stderr.write(
      "interrupted: only what was finished is kept; npm run report -- RECORD makes its tables, --resume RECORD goes on\n",
    );
  }
  if (options.json) process.stdout.write(recordText(record));
  if (record.interrupted) return EXIT.interrupted;
  return everyRowHasNumber && nothingFailed(record) ? EXIT.ok : EXIT.noNumber;
}

function parse(args: readonly string[]) {
  const { values, positionals } = orUsageError(() =>
    parseArgs({ args: joinNegatives(args), options: OPTIONS, allowPositionals: true }),
  );
  return { options: values, filters: positionals };
}

function recordToResume({
  options: { resume, json: _, ...others },
  filters,
}: ReturnType<typeof parse>): BenchRecord {
  const isDefault = (key: string, value: unknown) =>
    JSON.stringify(value) ===
    JSON.stringify((OPTIONS as Record<string, { default?: unknown }>)[key]?.default);
  const extra = [
    ...filters,
    ...Object.entries(others).flatMap(([key, value]) => (isDefault(key, value) ? [] : key)),
  ];
  if (extra.length > 0) {
    throw new UsageError(`--resume asks for what its record was asked: leave away ${extra.join(", ")}`);
  }
  return orUsageError(() => readRecord(resume!));
}

/** What an interrupted run was asked for; its whole record goes beside the interrupted one unless it had a place. */
function askedIn(previous: BenchRecord, { options: { resume, json } }: ReturnType<typeof parse>) {
  const { options, filters } = parse(argumentsOf(previous));
  const out = options.publish ? undefined : (options.out ?? dirname(resume!));
  return { options: { ...options, json, out }, filters };
}

/** The page beside a local record; none for an interrupted run, whose user wants the prompt back, not statistics. */
function localPage(record: BenchRecord): string | undefined {
  return record.interrupted
    ? undefined
    : recordPage("Results of a local run", record, "the record beside this page");
}

/**
 * Carries out the plan, prints each table when its scenario is complete, and returns the record and whether every row
 * of those tables has a number.
 */
async function measure(
  plan: Plan,
  commit: BenchRecord["commit"],
  tables: NodeJS.WritableStream,
  previous: BenchRecord | undefined,
) {
  const begunAt = new Date().toISOString();
  const circumstances = {
    methodVersion: METHOD_VERSION,
    commit,
    machine: describeMachine(),
    runtime: describeRuntime(),
  };
  const done =
    previous === undefined ? NOTHING_DONE : orUsageError(() => doneIn(previous, plan, circumstances));
  const before = previous?.before ?? observeWeather();
  const groups: BenchRecord["groups"] = [...(previous?.groups ?? [])];
  const simulations: BenchRecord["simulations"] = [...(previous?.simulations ?? [])];
  const surveys: NonNullable<BenchRecord["surveys"]> = [...(previous?.surveys ?? [])];
  const progress = progressLine(process.stderr);
  const stop = new AbortController();
  const hasNumbers = ({ rows }: JudgedScenario) => rows.every(({ noNumber }) => noNumber === undefined);
  let everyRowHasNumber = previous === undefined || judgeRecord(previous).every(hasNumbers);
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());

  process.stderr.write(`seed ${plan.seed}, about ${readableTime(planEstimateMs(plan, done))}\n`);
  await run(
    plan,
    {
      progress: progress.show,
      raced(result) {
        groups.push(groupRecord(result));
        const { primitive, scenario } = result.plan;
        const isOfScenario = (group: { primitive: string; scenario: string }) =>
          group.primitive === primitive && group.scenario === scenario;
        const raced = groups.filter(isOfScenario);
        if (raced.length < plan.groups.filter(isOfScenario).length) return;
        const judged = judgeScenario(raced, plan.seed);
        everyRowHasNumber &&= hasNumbers(judged);
        progress.clear();
        tables.write(`${scenarioText(judged, 2)}\n`);
      },
      simulated(result) {
        const simulated = simulationRecord(result);
        simulations.push(simulated);
        progress.clear();
        tables.write(`${simulationText(simulated, 2)}\n`);
      },
      surveyed(result) {
        const surveyed = surveyRecord(result);
        surveys.push(surveyed);
        progress.clear();
        tables.write(`${surveyText(surveyed, 2)}\n`);
      },
    },
    stop.signal,
    done,
  );
  progress.clear();
  const record = {
    schemaVersion: SCHEMA_VERSION,
    ...circumstances,
    command: previous?.command ?? commandLine(),
    seed: plan.seed,
    profile: plan.profile.name,
    size: plan.size,
    startedAt: previous?.startedAt ?? begunAt,
    finishedAt: new Date().toISOString(),
    interrupted: stop.signal.aborted,
    ...(previous === undefined ? {} : { resumedAt: [...(previous.resumedAt ?? []), begunAt] }),
    before,
    after: observeWeather(),
    groups,
    simulations,
    surveys,
    ...overviewRecords(plan),
  } satisfies BenchRecord;
  return { record, everyRowHasNumber };
}

/** Whether no process was lost and no cell failed, the engine's own and the simulated ones included. */
function nothingFailed({ groups, simulations, surveys = [] }: BenchRecord): boolean {
  const cells = [...groups, ...simulations, ...surveys].flatMap((part) =>
    part.cells.map(({ failure }) => failure),
  );
  return (
    groups.every(({ lostForks }) => lostForks.length === 0) && cells.every((failure) => failure === undefined)
  );
}

/** What is published must be whole, made by the commit it names, and not there already. */
function checkPublishable(
  request: Request,
  { groups, simulations, surveys }: Plan,
  commit: BenchRecord["commit"],
  hasOwnPlaces: boolean,
): void {
  if (commit === null || commit.dirty) {
    throw new UsageError(
      "--publish needs a git work tree without uncommitted changes: commit or stash them first",
    );
  }
  if (hasOwnPlaces) {
    throw new UsageError("--publish goes with neither --candidate nor --out: leave them away");
  }
  const chosen = new Set(chosenCells(request).map(({ name }) => name));
  const primitives = new Set([...groups, ...simulations, ...surveys].map((part) => part.primitive));
  // The newest record is the whole of a primitive's page.
  const missing = allCells(request).find(
    ({ name, suite, workers = 1 }) =>
      primitives.has(suite.suite.primitive) && workers <= request.cores && !chosen.has(name),
  );
  if (missing !== undefined) {
    throw new UsageError(
      `--publish takes whole primitives, and ${missing.name} is missing: add --all, and name no single scenario or worker count`,
    );
  }
  // All pages are made again after a run; what one of them cannot be made from is better known before it.
  for (const primitive of primitivesOfLab()) readAnswer(join(RESULTS, primitive));
  const identity = { startedAt: new Date().toISOString(), commit, machine: describeMachine() };
  for (const primitive of primitives) {
    const path = publishedPath(identity, primitive);
    if (existsSync(path)) {
      throw new UsageError(
        `${path} is published already, and records are not edited: commit something first`,
      );
    }
  }
}

function checkFilters(request: Request): void {
  const names = allCells(request).map(({ name }) => name);
  for (const filter of request.filters) {
    if (names.some((name) => matches(name, filter))) continue;
    const depth = filter.split("/").filter((part) => part !== "").length;
    const choices = new Set(names.map((name) => name.split("/").slice(0, Math.max(1, depth)).join("/")));
    const nearest = nearestFirst(choices, filter);
    const shown = nearest.slice(0, 12).join(", ");
    throw new UsageError(
      `no cell is named "${filter}"; there are, nearest first: ${shown}${nearest.length > 12 ? ", ..." : ""} (--list --all shows every one)`,
    );
  }
  const chosen = chosenCells(request);
  const candidates = new Set([...request.candidates.values()].flat());
  const idle = [...candidates].find((entry) => chosen.every((cell) => cell.entry !== entry));
  if (chosen.length > 0 && idle !== undefined) {
    throw new UsageError(
      `--candidate ${idle.name} is in no cell that was asked for: leave it away, or ask for scenarios that are open to it (--list --all shows which)`,
    );
  }
  for (const cells of [
    chosen,
    ...[...candidates].map((entry) => chosen.filter((cell) => cell.entry === entry)),
  ]) {
    const [absent] = cells;
    if (absent?.absent !== undefined && cells.every((cell) => cell.absent !== undefined)) {
      throw new UsageError(`${absent.name} does not take part: ${absent.absent}`);
    }
  }
  if (chosen.length === 0) {
    throw new UsageError(
      "no cell is left to race: the scenarios asked for need other --workers (--list --all shows which)",
    );
  }
}

/** Loads every candidate, finds the primitive whose contract it fits, and refuses names that are taken. */
async function loadCandidates(
  files: readonly string[],
  suites: readonly LoadedSuite[],
  filters: readonly string[],
) {
  const candidates = new Map<string, Entry[]>();
  const named = new Set(filters.map((filter) => filter.split("/")[0]));
  const primitives = suites.map(({ suite }) => suite.primitive);
  const possible = primitives.some((name) => named.has(name))
    ? primitives.filter((name) => named.has(name))
    : primitives;
  for (const file of files) {
    if (!existsSync(file)) throw new UsageError(`--candidate ${file} cannot be read: there is no such file`);
    if (!isCompetitorName(basename(file))) {
      throw new UsageError(
        `--candidate ${file}: name it as competitors are, in lower case with hyphens: two-choices.ts`,
      );
    }
    const entry = entryForFile(resolve(file));
    const primitive = await primitiveOf(entry, file, possible);
    const taken = allCells({
      ...NOTHING_ASKED,
      suites: suites.filter(({ suite }) => suite.primitive === primitive),
      candidates,
    });
    if (taken.some(({ entry: { name } }) => name === entry.name)) {
      throw new UsageError(
        `--candidate ${file}: ${primitive} already has a competitor named ${entry.name}; rename the file`,
      );
    }
    candidates.set(primitive, [...(candidates.get(primitive) ?? []), entry]);
  }
  return candidates;
}

const NOTHING_ASKED = {
  all: true,
  workers: undefined,
  profile: PROFILES.quick,
  size: "full",
  seed: 0,
  twins: 1,
  patienceMs: PATIENCE_MS,
  claims: new Map(),
  cores: 1,
} as const;

/** The primitive whose contract a candidate fits; of several, the one that asks the most of it. */
async function primitiveOf(entry: Entry, file: string, possible: readonly string[]): Promise<string> {
  let best: { primitive: string; fields: number } | undefined;
  const misfits: string[] = [];
  for (const primitive of possible) {
    const contract = await contractOf(primitive);
    const fields = Object.keys(contract.fields).length;
    try {
      await loadCompetitor(entry.url, contract);
      if (best === undefined || fields > best.fields) best = { primitive, fields };
    } catch (error) {
      misfits.push(`${primitive}: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  if (best !== undefined) return best.primitive;
  throw new UsageError(`--candidate ${file} fits no contract that was asked for (${misfits.join("; ")})`);
}

/** `--workers -1` as `--workers=-1`: parseArgs would take the number for an option and lecture about it. */
function joinNegatives(args: readonly string[]): string[] {
  const isNegative = (arg: string | undefined) => arg !== undefined && /^-\d/.test(arg);
  return args.flatMap((arg, index) => {
    if (arg.startsWith("--") && isNegative(args[index + 1])) return [`${arg}=${args[index + 1]}`];
    return isNegative(arg) && args[index - 1]?.startsWith("--") ? [] : [arg];
  });
}

function listing(request: Request, plan: Plan): string {
  const lines = plan.groups.flatMap((group) => {
    const eachMs = (forkEstimateMs(group) * group.forks) / group.crews.length;
    const racers = group.crews.filter(
      ({ kind }) => kind === "baseline" || kind === "twin" || kind === "rival",
    );
    const remark = group.oversubscribed ? "  oversubscribed" : "";
    return racers.map(({ name }) => {
      const cell = `${group.primitive}/${group.scenario}/${name}/${group.workers}w`;
      return `${cell.padEnd(56)} ${readableTime(eachMs).padStart(9)}${remark}`;
    });
  });
  const simulated = plan.simulations.flatMap(({ primitive, scenario, entries, seeds }) => {
    const often = seeds.length === 1 ? "" : ` from ${seeds.length} seeds`;
    return entries.map(({ name }) => `${`${primitive}/${scenario}/${name}`.padEnd(56)} simulated${often}`);
  });
  const surveyed = plan.surveys.flatMap(({ primitive, scenario, entries, forks }) =>
    entries.map(({ name }) => `${`${primitive}/${scenario}/${name}`.padEnd(56)} surveyed ${forks} times`),
  );
  const absent = [...plan.groups, ...plan.simulations, ...plan.surveys].flatMap(
    ({ primitive, scenario, absent: absences }) =>
      absences.map(
        ({ competitor, reason }) =>
          `${`${primitive}/${scenario}/${competitor}`.padEnd(56)} absent: ${reason}`,
      ),
  );
  const total = `${lines.length + simulated.length + surveyed.length} cells, about ${readableTime(planEstimateMs(plan))} at profile ${request.profile.name}`;
  return `${[...lines, ...simulated, ...surveyed, ...new Set(absent), total].join("\n")}\n`;
}

function parseWorkers(text: string, twins: number, cores: number): number[] {
  const most = mostWorkers(twins, cores);
  const counts = text.split(",").map((part) => parseWhole("--workers", part.trim(), 1, most));
  return [...new Set(counts)];
}

function parseProfile(name: string): Request["profile"] {
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name as keyof typeof PROFILES];
  const known = nearestFirst(Object.keys(PROFILES), name).join(", ");
  throw new UsageError(`--profile ${name} is unknown; there are, nearest first: ${known}`);
}

function parseWhole(option: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} ${text} is out of range: give whole numbers from ${least} to ${most}`);
}

function describeProfile(name: keyof typeof PROFILES): string {
  const { forks, rounds, sliceMs } = PROFILES[name];
  return `${forks} forks x ${rounds} rounds x ${sliceMs} ms`;
}

/** The command as a reader would type it again. */
function commandLine(): string {
  const words = process.argv
    .slice(2)
    .map((word) => (/^[\w./,:=@~+-]+$/.test(word) ? word : JSON.stringify(word)));
  // npm passes no flags on to node.
  if (LANGUAGE_FLAGS.length > 0)
    return ["node", ...LANGUAGE_FLAGS, "scripts/bench.ts", "--", ...words].join(" ");
  return ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");
}

await runScript(main);
