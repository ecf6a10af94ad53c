import { addressAt, EMPTY_ASYNC_TASK } from "../capture/address.ts";
import type { PerOperation } from "../capture/throughput.ts";
import { type Comparing, undecidedTasks } from "../judge/comparing.ts";
import { ALLOCATION_MS } from "../measure/fork/allocation.ts";
import { MOST_TIMES_LONGER } from "../measure/fork/batches.ts";
import { usableCores } from "../measure/machine/cores.ts";
import { groupsOf, withCrews } from "../measure/plan/groups.ts";
import {
  type CrewPlan,
  type GroupPlan,
  isInstrument,
  PATIENCE_MS,
  type Plan,
  type Profile,
  type RemotePlan,
} from "../measure/plan/plan.ts";
import type { Surroundings } from "../measure/plan/protocol.ts";
import { replicated } from "../measure/plan/replication.ts";
import { budgetOf, forkEstimateMs } from "../measure/plan/timing.ts";
import type { GroupResult } from "../measure/run/watched.ts";
import type { Entry, Race } from "../race.ts";
import { raceGroups } from "../race-groups.ts";
import type { GroupRecord } from "../schema/record.ts";
import type { JudgedScenario } from "../schema/verdict.ts";
import { sum } from "../statistics.ts";
import { present } from "../words/present.ts";

/** Tasks that are compared with one another. */
export interface TaskRace {
  /** Of their group, as its file has it; empty for tasks that are in none. */
  readonly title: string;
  /** Which of its tasks race here, where others are of another kind: "async". */
  readonly part?: string;
  /** How long these take, where others take much longer or less: "1 us to 100 us", by a look at them. */
  readonly span?: string;
  /** One or more. */
  readonly contestants: readonly Contestant[];
  /** Index of the contestant that the others are compared with. */
  readonly baseline: number;
  /** Whether no other may take its place, where nothing can be compared with it. */
  readonly isBaselineFixed?: true;
  /** Index of the contestant that does nothing, which tables leave out; absent where all tasks take much longer than the loop. */
  readonly empty?: number;
  readonly workers: number;
  /** Least length of a slice, in ms (see `Race.sliceMs`). */
  readonly sliceMs?: number;
  /** See `GroupPlan`. */
  readonly isCompiledAlike?: true;
}

/** A race as a reader knows it. */
export function titleOf({ title, ...rest }: Pick<TaskRace, "title"> & Parted): string {
  return [title || "tasks", ...partsOf(rest)].join(", ");
}

/** Of which tasks of a group it is said that they did not race. */
export function unracedText(race: Parted): string {
  return `${partsOf(race).join(", ") || "all tasks"}: not raced, for the budget was over`;
}

interface Parted {
  readonly part?: string;
  readonly span?: string | undefined;
  readonly isCompiledAlike?: true | undefined;
}

/** Which of the tasks of its group it races, and how, in words. */
export function partsOf({ part, span, isCompiledAlike }: Parted): string[] {
  const how = isCompiledAlike === true ? "compiled alike" : undefined;
  return [part, span, how].filter((text) => text !== undefined);
}

export interface Contestant {
  /** As tables show it. */
  readonly label: string;
  /** See capture/address.ts. */
  readonly url: string;
  /** About what an operation takes, in ms; undefined where that is not known, or no matter. */
  readonly operationMs?: number;
  /** The same for its hooks, whose time is left out of slices. */
  readonly hooksMs?: number;
  /** The runtime that it runs on; this process's own if absent. */
  readonly remote?: RemotePlan;
  /** What an operation works on, where its file says so. */
  readonly perOperation?: PerOperation;
}

/** What came of a race. */
export interface RacedTasks {
  readonly race: TaskRace;
  /** Its competitors are named "t0", "t1" and so on, by the contestants' places. */
  readonly judged: JudgedScenario;
  readonly results: readonly GroupResult[];
  readonly groups: readonly GroupRecord[];
}

export interface RacingTasks extends Surroundings {
  readonly profile: Profile;
  /** Time for all races together, in ms; what the profile gives each cell if absent. */
  readonly budgetMs?: number;
  /** uint32 that orders, lengths of slices and fixtures are drawn from. */
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** See `Running`. */
  readonly overdue?: AbortSignal | undefined;
  /** Hears now and then how far it is, and which tasks of the race are undecided, by their labels. */
  progress?(share: number, leftMs: number | undefined, race: TaskRace, open: readonly string[]): void;
  /** Hears of each race as it ends. */
  raced(raced: RacedTasks): void;
}

const LAB = new URL("../capture/lab.ts", import.meta.url).href;
const TASK_RACE = new URL("../capture/task-race.ts", import.meta.url).href;
const PRIMITIVE = "tasks";
/** Imported as forks import it. */
const { default: taskRace } = (await import(TASK_RACE)) as typeof import("../capture/task-race.ts");

/** Races tasks until each row is decided or time is up. */
export async function raceTasks(
  races: readonly TaskRace[],
  { profile, budgetMs, seed, cwd, confinedTo, signal, overdue, progress, raced }: RacingTasks,
): Promise<void> {
  const groups = groupsIn(races, profile);
  let open: readonly string[] = [];
  const plan: Plan = {
    lab: LAB,
    seed,
    profile,
    size: "full",
    patienceMs: PATIENCE_MS,
    budgetMs: budgetMs ?? budgetOf(profile, groups),
    groups,
    cwd,
    confinedTo,
  };
  const raceOf = (scenario: string) => races[Number(scenario.slice(SCENARIO.length))]!;
  await raceGroups(
    plan,
    {
      progress: (share, leftMs, what) =>
        progress?.(share, leftMs, raceOf(what.slice(PRIMITIVE.length + 1).split(" ", 1)[0]!), open),
      judged: (judged, results, own) =>
        raced({ race: raceOf(judged.scenario), judged, results, groups: own }),
      undecidedIn: (own, rows, precision) =>
        undecidedTasks(own, rows, precision, comparingIn(raceOf(own[0]!.scenario))),
      ...(profile.exactly === undefined ? { replan: replicated } : {}),
      stillOpen({ scenario }, crews) {
        open = raceOf(scenario).contestants.flatMap(({ label, url }, place) =>
          crews.has(nameOf(place)) && addressAt(url) !== undefined ? [label] : [],
        );
      },
    },
    signal,
    overdue,
  );
}

/** What the tasks of a race may be compared with. */
export function comparingIn({ contestants, baseline, isBaselineFixed, empty }: TaskRace): Comparing {
  const others = [...contestants.keys()].filter((place) => place !== baseline && place !== empty);
  return {
    baselines: [baseline, ...(isBaselineFixed ? [] : others)].map(nameOf),
    ...(empty === undefined
      ? {}
      : {
          empty: { competitor: nameOf(empty), isAwaited: contestants[empty]!.url === EMPTY_ASYNC_TASK },
        }),
  };
}

/** What races cost: at least, with the fewest processes for each, and usually, by the profile: that or more. */
export function costOf(races: readonly TaskRace[], profile: Profile): { leastMs: number; usualMs: number } {
  const groups = groupsIn(races, profile);
  const leastMs = groups.reduce(
    (all, group) => all + Math.min(group.forks, group.fewestForks) * forkEstimateMs(group),
    0,
  );
  const usualMs = budgetOf(profile, groups);
  // Of long operations the fewest processes may take more than the profile has time for.
  return { leastMs, usualMs: Number.isFinite(usualMs) ? Math.max(leastMs, usualMs) : leastMs };
}

/** The groups of a plan that races these. */
export function groupsIn(races: readonly TaskRace[], profile: Profile): GroupPlan[] {
  return races.flatMap((race, index) => planOf(race, index, profile));
}

/** Processes of a task that is compared with no other: no verdict ends its race, and these show how it spreads. */
const LONE_FORKS = 8;

function nameOf(place: number): string {
  return `t${place}`;
}

const SCENARIO = "race-";

function planOf(own: TaskRace, index: number, profile: Profile): GroupPlan[] {
  const { contestants, baseline, workers, sliceMs, empty, isCompiledAlike } = own;
  const scenario = `${SCENARIO}${index}`;
  const entries = contestants.map(({ url }, place) => ({ name: nameOf(place), url }));
  const race: Race<unknown, unknown, unknown> = {
    ...taskRace,
    scenario,
    title: titleOf(own),
    baseline: nameOf(baseline),
    ...present({ sliceMs }),
  };
  const placed = { bytesPerWorker: 0, placement: "objects" } as const;
  const described = new Map(entries.map(({ url }) => [url, { scenarios: { [scenario]: placed } }]));
  const common = {
    primitive: PRIMITIVE,
    scenario,
    moduleUrl: `${TASK_RACE}?scenario=${scenario}`,
    absent: [],
  };
  const request = {
    competitors: new Map([[PRIMITIVE, entries]]),
    described,
    profile,
    size: "full",
    cores: usableCores(),
  } as const;
  const compared = entries.filter((_, place) => place !== empty);
  const groups = groupsOf({ workers, entries: compared, common }, race, 1, request).map((group) =>
    empty === undefined ? group : withCrews(group, besideEmpty(group, entries[empty]!), request),
  );
  const most = contestants.length > 1 ? Number.POSITIVE_INFINITY : LONE_FORKS;
  return groups.map((group) => ({
    ...group,
    crews: group.crews.map((crew) => ({ ...crew, ...present({ remote: remoteIn(own, crew) }) })),
    ...present({ isCompiledAlike }),
    ...(workers === 1 ? { countsBytes: true } : {}),
    forks: Math.min(group.forks, most),
    beyondSlicesMs: beyondSlicesMs(group, contestants),
  }));
}

/**
 * Where a crew runs, if tasks have processes of their own. What does nothing is with the baseline. Its A/A control has a process of its own, so that it
 * strays as two runtimes do that are the same.
 */
function remoteIn(
  { contestants, baseline, empty }: TaskRace,
  { name, kind }: CrewPlan,
): RemotePlan | undefined {
  if (isInstrument(kind)) return undefined;
  const base = contestants[baseline]!.remote;
  if (kind === "aa-control") return base && { ...base, name };
  const place = Number(name.slice(1));
  return place === empty ? base : contestants[place]!.remote;
}

/** The crews of a group and one that does nothing: each process shows what the loop takes in it. */
function besideEmpty({ crews, workers }: GroupPlan, empty: Entry): CrewPlan[] {
  const end = crews.findIndex(({ kind }) => isInstrument(kind));
  return crews.toSpliced(end, 0, { ...empty, kind: "rival", workers, placement: "arena" });
}

/** A crew ends an operation before its window opens, and the last that it begins there. Then it counts bytes. */
function beyondSlicesMs({ crews, rounds, sliceUs }: GroupPlan, contestants: readonly Contestant[]): number {
  const sliceMs = sliceUs / 1000;
  const beyond = crews.map((crew) => {
    const { operationMs = 0, hooksMs = 0 } = contestants.find(({ url }) => url === crew.url) ?? {};
    const wholeMs = operationMs + hooksMs;
    const longer = hooksMs === 0 ? 1 : Math.min(MOST_TIMES_LONGER, wholeMs / operationMs);
    return wholeMs + Math.max(wholeMs / 2, Math.max(wholeMs, longer * sliceMs) - sliceMs);
  });
  return (WARM_UP_SLICES + rounds) * sum(beyond) + contestants.length * ALLOCATION_MS;
}
/** The fewest, with the one that ends a warm-up. */
const WARM_UP_SLICES = 9;
