import { derivedSeed } from "../../structures/shared/worker-identity.ts";
import { withCrews } from "../../suites/engine/measure/plan/groups.ts";
import {
  type CrewPlan,
  compiledAlike,
  type GroupPlan,
  type Profile,
} from "../../suites/engine/measure/plan/plan.ts";
import { budgetOf } from "../../suites/engine/measure/plan/timing.ts";
import { startProcess } from "../../suites/engine/measure/run/process.ts";
import { type RunFacts, SCHEMA_VERSION } from "../../suites/engine/schema/envelope.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import { present } from "../../suites/engine/words/present.ts";
import { orUsageError } from "../../suites/lab/command/usage.ts";
import { NOTHING_DONE, planEstimateMs } from "../../suites/lab/kinds/pace.ts";
import type { LabPlan } from "../../suites/lab/kinds/plan.ts";
import { runPlan } from "../../suites/lab/kinds/run.ts";
import { askOpinion, OPINION_ENGINES, type OpinionEngine } from "../../suites/lab/opinions/opinion.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { chosenCells } from "../../suites/lab/plan/cells.ts";
import { makePlan } from "../../suites/lab/plan/make-plan.ts";
import { LabRacing } from "../../suites/lab/racing.ts";
import { announcement, beginRun, type RunIdentity } from "../../suites/lab/recorded-run.ts";
import { checkResumable } from "../../suites/lab/resume.ts";
import type {
  CalibrationRecord,
  KnownGroupRecord,
  LibraryReadingRecord,
} from "../../suites/lab/schema/calibration.ts";

/**
 * The usual groups, but with crews whose truth is known. Several are equal, so any verdict of faster or slower between
 * two of them is a false alarm. The others do a known share of extra work: a judge that does not call them slower has
 * missed it. All of them race to the end, so that the judge can be asked after how many forks racing would have been
 * done with each. Then the libraries read the same cells.
 */

/**
 * What is measured where no cell is named. Private and shared memory; one line that all want and a structure of many
 * lines. A loop that is retried and one that waits; a set that fits the nearest caches and one that does not. Alone,
 * with a core for each, and with more workers than cores.
 */
export const USUAL_CELLS = [
  "pick/uniform-8/per-worker-random/1w",
  "pick/uniform-8/cas-ring/1w",
  "locks/short-section/futex-three-state/1w",
  "timers/refresh-1k/hashed-wheel/1w",
  "timers/refresh-100k/hashed-wheel/1w",
  "pick/uniform-8/shuffled-round-robin/2w",
  "pick/uniform-8/cas-ring/2w",
  "locks/short-section/futex-three-state/2w",
  "pick/uniform-8/shuffled-round-robin/4w",
];

/**
 * How much slower the slowed crews are, as shares. The first can be seen on a quiet machine (see GOALS in
 * judge/scores.ts); the second, twice as much, beside a disturbance. Four crews of four workers are as many as a
 * process holds beside the equal ones.
 */
export function slowdownsOf({ workers, isLarge }: { workers: number; isLarge: boolean }): readonly number[] {
  if (workers > 2) return [0.1, 0.1, 0.2, 0.2];
  return workers === 1 && !isLarge ? [0.01, 0.02, 0.03, 0.06] : [0.03, 0.05, 0.06, 0.1];
}

/** What libraries read. */
const READ_SLOWDOWNS = slowdownsOf({ workers: 1, isLarge: false });

/** Crews of the baseline beside itself: one sets the floor, with the others it makes five equal ones, ten pairs. */
const EQUALS = 5;

/** Racing that goes on to 1 %, as that of the full profile. */
const COMMON: Omit<Profile, "name" | "secondsPerCell"> = { precision: 0.01, surveys: 0 };

/**
 * How much is measured where nothing else is asked for: groups for each cell, and time for each crew. An hour makes over 600
 * comparisons of equals and at least 30 for each difference that is to be seen.
 */
export const CALIBRATION_PROFILES = {
  short: { turns: 2, profile: { ...COMMON, name: "calibration", secondsPerCell: 5 } },
  hour: { turns: 7, profile: { ...COMMON, name: "calibration-hour", secondsPerCell: 4 } },
} as const satisfies Record<string, { turns: number; profile: Profile }>;

/** Time that a library measures for in one process, in ms: about what its own defaults come to for one benchmark. */
const READING_CPU_MS = 300;
/** A process to read in, with its warm-up. For estimates only. */
const READING_ESTIMATE_MS = 900;

/** What is read in each turn, as shares of extra work: three equals, which make three pairs, and the slowed ones. */
const READ_EACH_TURN = [0, 0, 0, ...READ_SLOWDOWNS];

/** One cell whose truth is known, with the group that measures it. */
interface KnownCell {
  /** `pick/uniform-8/cas-ring/1w`. */
  readonly name: string;
  readonly competitorUrl: string;
  readonly group: GroupPlan;
}

export interface VerdictsPlan {
  readonly plan: LabPlan;
  readonly cells: readonly KnownCell[];
  /** The readings of a turn, which are compared with one another, side by side; all of a turn before any of the next. */
  readonly orders: readonly ReadingOrder[];
}

interface ReadingOrder {
  readonly cell: KnownCell;
  readonly engine: OpinionEngine;
  readonly extraWork: number;
  readonly turn: number;
}

/**
 * The groups for the cells that the request names, `turns` for each, and as many compiled alike where that is asked for. Every cell
 * has a turn before any has its second, so that disturbances of the machine fall on all. Last come the equals of each cell
 * without the slowed crews, to see whether company matters. Throws an Error if a cell is no race.
 */
export function planVerdicts(
  request: Request,
  turns: number,
  opinions: number,
  isCompiledAlike = false,
): VerdictsPlan {
  const cells = chosenCells(request).map(({ name, scenario, entry, absent }): KnownCell => {
    if (scenario.kind !== "race") throw new Error(`${name} is no race: name cells that have a worker count`);
    if (absent !== undefined) throw new Error(`${name} does not take part: ${absent}`);
    const planned = makePlan({ ...request, filters: [name] });
    const group = planned.groups[0]!;
    return { name, competitorUrl: entry.url, group: withKnownCrews(group, entry.name, request) };
  });
  const { lab, seed, profile, size, patienceMs } = request;
  const usual = cells.map(({ group }) => group);
  const turn = [...usual, ...(isCompiledAlike ? usual.map(compiledAlike) : [])];
  const equals = usual.map((group) => withoutSlowed(group, request));
  const groups = [...Array.from({ length: turns }, () => turn).flat(), ...equals];
  const budgetMs = request.budgetMs ?? budgetOf(profile, groups);
  const eachTurn = cells
    .filter(({ group }) => group.workers === 1)
    .flatMap((cell) =>
      OPINION_ENGINES.flatMap((engine) => READ_EACH_TURN.map((extraWork) => ({ cell, engine, extraWork }))),
    );
  return {
    plan: {
      lab,
      seed,
      profile,
      size,
      patienceMs,
      budgetMs,
      groups,
      simulations: [],
      surveys: [],
      overviews: [],
    },
    cells,
    orders: Array.from({ length: opinions }, (_, turn) =>
      eachTurn.map((order) => ({ ...order, turn })),
    ).flat(),
  };
}

function withKnownCrews(group: GroupPlan, competitor: string, request: Request): GroupPlan {
  const usual = group.crews.find(({ name }) => name === competitor)!;
  const own = group.crews.filter(({ url }) => url === undefined);
  const { race, workers } = group;
  const slowdowns = slowdownsOf({ workers, isLarge: race.isLarge?.(race.params[request.size]) ?? false });
  const rows: CrewPlan[] = [
    ...Array.from({ length: EQUALS }, (_, index): CrewPlan => {
      return { ...usual, name: `${competitor}~aa${index + 1}`, kind: "aa-control" };
    }),
    ...slowdowns.map((extraWork, index): CrewPlan => {
      const name = `${competitor}~slowed${index + 1}-by-${Math.round(100 * extraWork)}%`;
      return { ...usual, name, kind: "rival", extraWork };
    }),
  ];
  const crews: CrewPlan[] = [{ ...usual, kind: "baseline" }, ...rows, ...own];
  // The crew that sets the floor is no judged row.
  return { ...withCrews(group, crews, request), rows: rows.length - 1 };
}

/** A group in smaller company. */
function withoutSlowed(group: GroupPlan, request: Request): GroupPlan {
  const crews = group.crews.filter(({ extraWork }) => extraWork === undefined);
  return { ...withCrews(group, crews, request), rows: EQUALS - 1 };
}

export function verdictsEstimateMs({ plan, orders }: VerdictsPlan): number {
  return planEstimateMs(plan) + orders.length * READING_ESTIMATE_MS;
}

/** Which calibration is made, beside its plan. */
export interface CalibrationIdentity
  extends Pick<RunIdentity, "command" | "argv" | "commit" | "waitQuietMs"> {
  /** Whether a process disturbs it all the time (see disturber.ts). */
  readonly isDisturbed?: boolean;
}

/**
 * Races the groups of the plan, then takes the readings, one process at a time. What `previous` holds already is left
 * out. Ctrl-C ends it; the record then has what was finished, which `keep` hears of meanwhile. Throws a UsageError if
 * `previous` cannot be gone on with.
 */
export async function measureVerdicts(
  { plan, orders }: VerdictsPlan,
  { isDisturbed, ...identity }: CalibrationIdentity,
  previous?: CalibrationRecord,
  keep: (record: CalibrationRecord) => void = () => {},
): Promise<CalibrationRecord> {
  const { circumstances, signal, progress, observe, facts, end } = beginRun(plan, identity, previous);
  if (previous !== undefined) orUsageError(() => checkResumable(previous, circumstances));
  await observe();
  const disturber = isDisturbed === true ? startProcess(new URL("disturber.ts", import.meta.url)) : undefined;
  const groups: GroupRecord[] = [...(previous?.groups ?? [])];
  const racing = new LabRacing(groups, undefined, false);
  const taken = wholeTurns(previous?.readings ?? []);
  const done = { ...NOTHING_DONE, groups: groups.length };
  const racingMs = planEstimateMs(plan, done);
  const readingMs = (orders.length - taken.length) * READING_ESTIMATE_MS;
  const totalMs = racingMs + readingMs;
  const recordOf = (run: RunFacts): CalibrationRecord => ({
    kind: "calibration",
    part: "verdicts",
    schemaVersion: SCHEMA_VERSION,
    ...run,
    ...(isDisturbed === true ? { isDisturbed } : {}),
    groups: groups.map((group, index) => knownGroup(group, plan.groups[index]!, plan.size)),
    readings: taken,
  });
  process.stderr.write(`seed ${plan.seed}\n`);
  await runPlan(
    plan,
    {
      progress: (share, leftMs, what) =>
        progress.show(
          (share * racingMs) / totalMs,
          leftMs === undefined ? undefined : leftMs + readingMs,
          what,
        ),
      announced(wholeMs, isLonger) {
        progress.clear();
        process.stderr.write(`${announcement(wholeMs + readingMs, isLonger)}\n`);
      },
      raced(result) {
        racing.finish(result);
        keep(recordOf(facts()));
      },
      simulated() {},
      surveyed() {},
    },
    signal,
    {
      done,
      needed: (group, forks) => {
        racing.needed(group, forks);
        // Decided or not, all race to the end: when racing would have been done with a row the judge finds out afterwards.
        return new Set(group.crews.map(({ name }) => name));
      },
    },
  );
  for (const order of orders.slice(taken.length)) {
    if (signal.aborted) break;
    const leftMs = (orders.length - taken.length) * READING_ESTIMATE_MS;
    progress.show(1 - leftMs / totalMs, leftMs, `${order.cell.name}, read by ${order.engine}`);
    const reading = await read(order, plan, signal);
    if (signal.aborted) break;
    taken.push(reading);
    keep(recordOf(facts()));
  }
  disturber?.kill("SIGKILL");
  return recordOf(end());
}

/** A turn that was broken off is read anew: what is compared has to be read one after the other. */
function wholeTurns(readings: readonly LibraryReadingRecord[]): LibraryReadingRecord[] {
  return readings.slice(0, readings.length - (readings.length % READ_EACH_TURN.length));
}

async function read(
  { cell, engine, extraWork, turn }: ReadingOrder,
  { seed, size, patienceMs }: LabPlan,
  signal: AbortSignal,
): Promise<LibraryReadingRecord> {
  const { moduleUrl, scenario } = cell.group;
  const opinion = await askOpinion(
    {
      engine,
      cpuMs: READING_CPU_MS,
      memory: false,
      // The same workload for all readings of a turn, as all crews of a fork have.
      cell: {
        moduleUrl,
        scenario,
        competitorUrl: cell.competitorUrl,
        size,
        seed: derivedSeed(seed, turn),
        fork: turn,
        extraWork,
      },
    },
    { signal, patienceMs },
  );
  const { failure, nsPerOperation: figures } = opinion;
  return {
    library: engine,
    cell: cell.name,
    extraWork,
    turn,
    ...(failure === undefined ? {} : { failure: failure.reason }),
    mean: figures?.mean ?? null,
    low: figures?.low ?? null,
    high: figures?.high ?? null,
  };
}

/** A group in which any crew failed has no numbers: its truth would not be known. */
export function knownGroup(
  group: GroupRecord,
  { crews, precision, race }: GroupPlan,
  size: LabPlan["size"],
): KnownGroupRecord {
  const contestants = crews.filter(({ url }) => url !== undefined);
  const failure =
    group.lostForks[0]?.reason ??
    group.cells.find((cell, index) => crews[index]?.url !== undefined && cell.failure !== undefined)?.failure
      ?.reason;
  return {
    ...group,
    extraWork: Object.fromEntries(contestants.map(({ name, extraWork = 0 }) => [name, extraWork])),
    isLarge: race.isLarge?.(race.params[size]) ?? false,
    precision,
    ...present({ failure }),
  };
}
