import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { type DefinedRace, noLaw } from "./define-race.ts";
import { UNBOUNDED } from "./judge/verdict.ts";
import { usableCores } from "./measure/machine/cores.ts";
import { mostWorkers, WORKER_COUNTS } from "./measure/plan/crews.ts";
import { describeCompetitor } from "./measure/plan/described.ts";
import { groupsOf } from "./measure/plan/groups.ts";
import { type GroupPlan, PATIENCE_MS, type Plan, PROFILES, type Profile } from "./measure/plan/plan.ts";
import { budgetOf } from "./measure/plan/timing.ts";
import type { Traits } from "./race.ts";
import { raceGroups } from "./race-groups.ts";
import { raceText } from "./race-text.ts";
import type { JudgedScenario } from "./schema/verdict.ts";
import { present } from "./words/present.ts";

export interface RaceOptions {
  /** Numbers of workers, each a table of its own. 1, 2, 4 and 8 up to the machine's cores if absent. */
  readonly workers?: readonly number[];
  /** Time for all racing together, in seconds. What is decided sooner ends sooner; 1.6 s for each competitor and worker count if absent. */
  readonly seconds?: number;
  /** Half-width of an interval, as a share, up to which a row is raced even when it is decided: 0.03 if absent. */
  readonly precision?: number;
  /** uint32 that orders, lengths of slices and workloads are drawn from; another each time if absent. */
  readonly seed?: number;
  /** Module of a `Lab`, if competitors are loaded or threads are started in another way than the instrument's own. */
  readonly lab?: string | URL;
  /**
   * Processes and rounds of slices in each, where neither time nor verdicts are to decide: for tests of a race, whose
   * figures say nothing.
   */
  readonly exactly?: { readonly forks: number; readonly rounds: number; readonly warmUpSlices?: number };
  /** Ends the run at once when aborted: what is done is returned. */
  readonly signal?: AbortSignal;
  /** Where tables and progress go; nowhere if undefined. stdout and stderr if absent. */
  readonly print?: Printing | undefined;
}

export interface Printing {
  readonly tables: { write(text: string): unknown };
  readonly progress: { write(text: string): unknown };
}

/** A race at one worker count. */
export interface RaceTable {
  readonly scenario: string;
  readonly workers: number;
  readonly baseline: string;
  /** Least difference that would be called one, as a share; undefined where it could not be measured. */
  readonly floor: number | undefined;
  /** How many processes raced. */
  readonly processes: number;
  /** The fastest first; what has no number last. */
  readonly rows: readonly RaceRow[];
}

export interface RaceRow {
  readonly competitor: string;
  /** Of workers that do different things, what these do. */
  readonly role?: string | undefined;
  /** Why it has no number; undefined where it has one. */
  readonly noNumber?: string | undefined;
  /** What one worker waits for one operation, in ns: the middle of the processes, with a 99 % interval. */
  readonly ns?: Interval | undefined;
  /** Its time over the baseline's, with the interval that the verdict rests on; undefined for the baseline. */
  readonly ratio?: Interval | undefined;
  /** `faster`, `slower`, `same`, `depends`, `cannot tell` or `no power`; or why it is not judged, as `baseline`. */
  readonly verdict: string;
}

/** From 0 to Infinity where fewer than four processes show it. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const MOST_SECONDS = 86_400;
/** What the processes of a run begin with. */
const FORK = fileURLToPath(new URL("./measure/fork/fork.ts", import.meta.url));

/**
 * Races, in fresh processes, until each competitor is judged or time is up, and prints a table for each worker count.
 * `module` is the URL of the module that exports `races` by default, one or a list. Every process and thread of the run imports
 * it: there, a call returns no tables and does nothing else.
 *
 * Throws an Error with one line, before anything is measured, where a race or an option is not as described here.
 */
export async function runRace(
  module: string | URL,
  races: DefinedRace | readonly DefinedRace[],
  options: RaceOptions = {},
): Promise<RaceTable[]> {
  if (!isMainThread || process.argv[1] === FORK) return [];
  const { print } = { print: { tables: process.stdout, progress: process.stderr }, ...options };
  const plan = planOf(String(module), [races].flat() as DefinedRace[], options);
  const tables: RaceTable[] = [];
  const progress = progressOf(print?.progress);
  await raceGroups(
    plan,
    {
      progress: progress.show,
      judged(judged, [first]) {
        tables.push(tableOf(judged));
        progress.clear();
        print?.tables.write(`${raceText(judged, { isProved: first!.plan.race.law !== noLaw })}\n`);
      },
    },
    options.signal,
  );
  progress.clear();
  return tables;
}

function tableOf({ scenario, conditions, rows }: JudgedScenario): RaceTable {
  const [{ workers, baseline, floors, forks }] = conditions as [JudgedScenario["conditions"][number]];
  return {
    scenario,
    workers,
    baseline: baseline!,
    floor: floors.length === 0 ? undefined : Math.max(...floors),
    processes: forks,
    rows: rows.map((row) =>
      row.noNumber === undefined
        ? {
            competitor: row.competitor,
            role: row.role,
            ns: { value: row.median, ...(row.interval ?? UNBOUNDED) },
            ratio: row.ratio,
            verdict: row.verdict,
          }
        : { competitor: row.competitor, role: row.role, noNumber: row.noNumber, verdict: "no number" },
    ),
  };
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Throws an Error with one line if two races have one name, or one has too few competitors or no baseline. */
function check(module: string, races: readonly DefinedRace[]): void {
  const wrong = (what: string) => new Error(`${module} ${what}`);
  if (races.length === 0) throw wrong("has no race: give what defineRace returns, or a list of these");
  const known = new Set<string>();
  for (const { scenario, competitors, baseline } of races) {
    const names = Object.keys(competitors);
    const misnamed = [scenario, ...names].find((name) => !NAME.test(name));
    if (misnamed !== undefined)
      throw wrong(`has the name "${misnamed}": use lower-case words and digits, joined by hyphens`);
    if (known.has(scenario)) throw wrong(`has two races named ${scenario}: give each a name of its own`);
    known.add(scenario);
    if (names.length < 2) throw wrong(`${scenario} has ${names.length} competitors: give two or more`);
    if (!names.includes(baseline))
      throw wrong(`${scenario} has the baseline "${baseline}": name one of ${names.join(", ")}`);
  }
}

/** The first part of the names of cells. */
function primitiveOf(module: string): string {
  const file = fileURLToPath(module);
  return basename(file, extname(file)).replaceAll(/[^a-zA-Z0-9-]+/g, "-");
}

function planOf(module: string, races: readonly DefinedRace[], options: RaceOptions): Plan {
  check(module, races);
  const { precision = PROFILES.standard.precision, seconds, exactly } = options;
  const profile: Profile = {
    ...PROFILES.standard,
    precision: within("precision", precision, 0.001, 0.5),
    ...present({ exactly }),
  };
  const cores = usableCores();
  const groups = races.flatMap((race) =>
    groupsIn(race, module, profile, cores, workersOf(race, options.workers, cores)),
  );
  if (groups.length === 0) throw new Error("no race has any of these `workers`: give others");
  const seed = options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!;
  return {
    lab: options.lab === undefined ? undefined : String(options.lab),
    seed: whole("seed", seed, 0, 2 ** 32 - 1),
    profile,
    size: "full",
    patienceMs: PATIENCE_MS,
    budgetMs:
      seconds === undefined ? budgetOf(profile, groups) : 1000 * within("seconds", seconds, 1, MOST_SECONDS),
    groups,
  };
}

function groupsIn(
  race: DefinedRace,
  module: string,
  profile: Profile,
  cores: number,
  counts: readonly number[],
): GroupPlan[] {
  const primitive = primitiveOf(module);
  const entries = Object.keys(race.competitors).map((name) => ({
    name,
    url: `${module}#${race.scenario}/${name}`,
  }));
  const suite = { primitive, scenarios: [race] };
  const described = new Map(
    entries.map(({ name, url }) => [
      url,
      describeCompetitor(race.competitors[name] as Traits, suite, "full"),
    ]),
  );
  const absent = entries.flatMap(({ name, url }) => {
    const reason = described.get(url)!.scenarios[race.scenario]!.absent;
    return reason === undefined || name === race.baseline ? [] : [{ competitor: name, reason }];
  });
  const taking = entries.filter(({ name }) => absent.every(({ competitor }) => competitor !== name));
  const request = {
    competitors: new Map([[primitive, entries]]),
    described,
    profile,
    size: "full",
    cores,
  } as const;
  const common = { primitive, scenario: race.scenario, moduleUrl: module, absent };
  return counts.flatMap((workers) =>
    groupsOf({ workers, entries: taking, common }, race, counts.length, request),
  );
}

function workersOf(
  { minWorkers = 1, mostWorkers: most }: DefinedRace,
  asked: readonly number[] | undefined,
  cores: number,
) {
  const limit = mostWorkers(cores);
  for (const count of asked ?? []) {
    whole("workers", count, 1, limit);
  }
  const counts = asked ?? WORKER_COUNTS.filter((count) => count <= cores);
  return [...new Set(counts)].filter((count) => count >= minWorkers && count <= (most ?? count));
}

/** Throws an Error with one line for an option out of its range. */
function within(option: string, value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  throw new Error(`${option} ${value} is out of range: give ${least} to ${most}`);
}

function whole(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value)) return within(option, value, least, most);
  throw new Error(`${option} ${value} is not a whole number: give ${least} to ${most}`);
}

/** One line on a terminal, rewritten; elsewhere nothing. */
function progressOf(stream: Printing["progress"] | undefined) {
  const isTerminal = (stream as NodeJS.WriteStream | undefined)?.isTTY === true;
  const write = (text: string) => (isTerminal ? stream!.write(`\r\x1b[K${text}`) : undefined);
  return {
    show(share: number, _leftMs: number | undefined, what: string): void {
      write(`${Math.min(99, Math.floor(100 * share))} % ${what}`);
    },
    clear: (): void => void write(""),
  };
}
