import { EMPTY_ASYNC_TASK, EMPTY_TASK, type TaskAddress, urlOf } from "../capture/address.ts";
import { MOST_NS, type Probe, type ProbedWork } from "../capture/probe.ts";
import type { PerOperation } from "../capture/throughput.ts";
import { AA_CONTROLS } from "../measure/plan/crews.ts";
import type { RemotePlan } from "../measure/plan/plan.ts";
import { FEWEST_FORKS } from "../measure/plan/timing.ts";
import { sum } from "../statistics.ts";
import { present } from "../words/present.ts";
import { type Contestant, type TaskRace, titleOf } from "./race-tasks.ts";
import { roughTime } from "./times.ts";

/**
 * From what a look at the tasks of a group found to the races that can say something about them. What a race could only
 * be wrong about is refused, one line each. Pure.
 */

/** A task of a group that was looked at. */
export interface ProbedTask {
  readonly label: string;
  readonly address: TaskAddress;
  /** Whether its file names it as the one to compare with. */
  readonly isBaseline: boolean;
  /** See `Contestant`. */
  readonly remote?: RemotePlan;
  readonly perOperation?: PerOperation;
  /** Why it cannot be raced, as its list says it. */
  readonly refused?: string;
  /** Absent with `refused`. */
  readonly probe?: Probe;
}

export interface RacesAsked {
  /** Of the group, as its file has it; empty for tasks that are in none. */
  readonly title: string;
  readonly workers: number;
  /** Label of the task to compare with; the one that the file names, or else the first, where none of a race has it. */
  readonly baseline?: string;
  /** See `GroupPlan`. */
  readonly isCompiledAlike?: true | undefined;
}

export interface PlannedRace extends TaskRace {
  /** Its operations alone take this long, in ms, in the fewest processes that can be judged. */
  readonly leastMs: number;
}

export interface PlannedRaces {
  readonly races: readonly PlannedRace[];
  /** One line for each task that is not raced: its label and why. */
  readonly refusals: readonly string[];
  /** Those of them that say what went wrong in a look at the task. All others may be as they should. */
  readonly failures: readonly string[];
  /** What a reader should know before the races, one line each. */
  readonly remarks: readonly string[];
  /** What importing costs in the fewest processes that decide all races, in ms of one core. */
  readonly importMs: number;
}

/** Below this, an operation's time is lost in that of two readings of the clock and of its hooks' traces in the caches. */
const LEAST_NS_WITH_HOOKS = 2_000;
const MOST_WAITING = 0.5;
/** Tasks that are further apart are no alternatives, and the slices of one do not fit the other. */
const MOST_TIMES_APART = 100;
/** About what the loop costs that calls tasks, and the one that awaits them, in ns. */
const EMPTY_NS = { sync: 3, async: 100 };
/** An operation of that many times as long needs no empty one beside it. */
const TIMES_OF_NO_MATTER = 10;

const LONG_NS = 10_000;
const OPERATIONS_PER_SLICE = 20;
const LONGEST_SLICE_MS = 50;
/** Two show what a collection costs. Longer slices for more would make a race three times as long. */
const COLLECTIONS_PER_SLICE = 2;
const LONGEST_FOR_COLLECTIONS_MS = 20;
/** From here on a race takes so long that one should know. */
const SLOW_NS = 20e6;
/** The fewest slices of a crew in a process, the warm-up included. */
const FEWEST_SLICES = 25;

interface Runnable {
  readonly task: ProbedTask;
  readonly work: ProbedWork;
}

export function planRaces(tasks: readonly ProbedTask[], asked: RacesAsked): PlannedRaces {
  const refusals: string[] = [];
  const failures: string[] = [];
  const runnable: Runnable[] = [];
  for (const task of tasks) {
    const why = refusalOf(task, asked.workers);
    if (why === undefined) {
      runnable.push({ task, work: task.probe!.work! });
      continue;
    }
    const line = `${task.label}: ${why}`;
    refusals.push(line);
    if (task.refused === undefined && task.probe?.failure !== undefined) failures.push(line);
  }
  const remarks: string[] = [];
  const kinds = [false, true].map((isAsync) => runnable.filter(({ work }) => work.isAsync === isAsync));
  const isMixed = kinds.every(({ length }) => length > 0);
  if (isMixed)
    remarks.push(`${titleOf(asked)}: async tasks race by themselves; compare async with async only`);
  const races = kinds.flatMap((kind, index) => {
    const part = isMixed && index === 1 ? { part: "async" } : {};
    const ranges = rangesOf(kind);
    if (ranges.length > 1) {
      const most = Math.max(...kind.map(nsOf)) / Math.min(...kind.map(nsOf));
      remarks.push(
        `${titleOf({ ...asked, ...part })}: tasks are up to ${Number(most.toPrecision(2))} times apart, so that each range races by itself: times, and no verdict between ranges`,
      );
    }
    return ranges.map((range) => {
      const race = raceOf(
        range,
        ranges.length > 1 ? { ...part, span: spanOf(range.map(nsOf)) } : part,
        asked,
      );
      remarks.push(...slowness(range, race));
      return { race, importMs: importMsOf(range, race) };
    });
  });
  return {
    races: races.map(({ race }) => race),
    refusals,
    failures,
    remarks,
    importMs: sum(races.map(({ importMs }) => importMs)),
  };
}

function refusalOf({ refused, probe }: ProbedTask, workers: number): string | undefined {
  if (refused !== undefined) return refused;
  const { failure, work } = probe!;
  if (work === undefined) return failure;
  const { nsPerOperation, isAsync, waitingShare = 0, helpers, hooks, timesItself } = work;
  if (timesItself) return "times itself; a race needs the operation alone";
  if (helpers !== undefined) return `has ${helpers} work for it; a race sees what its own thread does`;
  if (isAsync && workers > 1) return "returns promises, which only one worker alone may run";
  if (isAsync && waitingShare > MOST_WAITING)
    return `waits ${Math.round(100 * waitingShare)} % of its time; a race says nothing about waiting`;
  const [hook] = hooks;
  if (hook !== undefined && nsPerOperation < LEAST_NS_WITH_HOOKS) {
    const place = hook === "beforeEach" ? "before" : "after";
    const least = roughTime(LEAST_NS_WITH_HOOKS);
    return `an operation takes ${roughTime(nsPerOperation)}, and ${hook} has to run ${place} each; ${least} is the least`;
  }
  if (nsPerOperation > MOST_NS)
    return `an operation takes ${roughTime(nsPerOperation)}; ${roughTime(MOST_NS)} is the most`;
  return undefined;
}

/** As few ranges as will do, the fastest tasks first; within one, tasks keep their order. */
function rangesOf(tasks: readonly Runnable[]): Runnable[][] {
  const ranges: Runnable[][] = [];
  for (const one of tasks.toSorted((a, b) => nsOf(a) - nsOf(b))) {
    const range = ranges.at(-1);
    if (range !== undefined && nsOf(one) <= MOST_TIMES_APART * nsOf(range[0]!)) range.push(one);
    else ranges.push([one]);
  }
  return ranges.map((range) => tasks.filter((one) => range.includes(one)));
}

function raceOf(
  range: readonly Runnable[],
  part: Pick<TaskRace, "part" | "span">,
  { title, workers, baseline, isCompiledAlike }: RacesAsked,
): PlannedRace {
  const { isAsync } = range[0]!.work;
  const contestants = range.map((one): Contestant => {
    const { label, address, remote, perOperation } = one.task;
    const url = urlOf(isAsync ? { ...address, isAsync } : address);
    const { nsOfHooks } = one.work;
    const hooks = nsOfHooks === undefined ? {} : { hooksMs: nsOfHooks / 1e6 };
    return { label, url, operationMs: nsOf(one) / 1e6, ...hooks, ...present({ remote, perOperation }) };
  });
  const named = range.findIndex(({ task }) => task.label === baseline);
  const own = range.findIndex(({ task }) => task.isBaseline);
  const emptyNs = isAsync ? EMPTY_NS.async : EMPTY_NS.sync;
  const hasEmpty = range.some((one) => nsOf(one) < TIMES_OF_NO_MATTER * emptyNs);
  const sliceMs = sliceMsOf(range);
  const baselinePlace = Math.max(0, named === -1 ? own : named);
  return {
    title,
    ...part,
    ...present({ isCompiledAlike }),
    contestants: hasEmpty
      ? [...contestants, { label: "nothing", url: isAsync ? EMPTY_ASYNC_TASK : EMPTY_TASK }]
      : contestants,
    baseline: baselinePlace,
    ...(named === -1 ? {} : { isBaselineFixed: true }),
    workers,
    leastMs: leastMsOf(range, sliceMs, range[baselinePlace]!),
    ...(sliceMs > 0 ? { sliceMs } : {}),
    ...(hasEmpty ? { empty: contestants.length } : {}),
  };
}

/** Whole operations should fill a slice, and each should hold its part of the collections. */
function sliceMsOf(range: readonly Runnable[]): number {
  const wanted = range.map(({ work: { nsPerOperation, collectionEveryMs = 0 } }) => {
    const forOperations = nsPerOperation >= LONG_NS ? (OPERATIONS_PER_SLICE * nsPerOperation) / 1e6 : 0;
    const forCollections = Math.min(LONGEST_FOR_COLLECTIONS_MS, COLLECTIONS_PER_SLICE * collectionEveryMs);
    return Math.max(forOperations, forCollections);
  });
  return Math.min(LONGEST_SLICE_MS, Math.max(...wanted));
}

/** One line for a race of operations so long that a slice holds one or two. */
function slowness(range: readonly Runnable[], race: PlannedRace): string[] {
  const slowest = Math.max(...range.map(nsOf));
  if (slowest < SLOW_NS) return [];
  return [
    `${titleOf(race)}: an operation takes up to ${roughTime(slowest)}, and the race at least ${roughTime(1e6 * race.leastMs)}`,
  ];
}

function leastMsOf(range: readonly Runnable[], sliceMs: number, baseline: Runnable): number {
  // A slice runs an operation before its window, and ends with a whole one.
  const crewMs = (one: Runnable) => nsOf(one) / 1e6 + Math.max(sliceMs, nsOf(one) / 1e6);
  const crews = [...range, ...new Array<Runnable>(AA_CONTROLS).fill(baseline)];
  const roundMs = sum(crews.map(crewMs));
  return FEWEST_FORKS * FEWEST_SLICES * roundMs;
}

/** The longest operation of which the fewest processes have time for a race, beside itself alone, in ns. */
export function longestNsIn(leftMs: number): number {
  const crews = 1 + AA_CONTROLS;
  return (1e6 * leftMs) / (FEWEST_FORKS * FEWEST_SLICES * crews);
}

function importMsOf(range: readonly Runnable[], { baseline, workers }: PlannedRace): number {
  const importMs = ({ task }: Runnable) => task.probe!.importMs!;
  const once = sum(range.map(importMs)) + AA_CONTROLS * importMs(range[baseline]!);
  return FEWEST_FORKS * workers * once;
}

function nsOf({ work }: Runnable): number {
  return work.nsPerOperation;
}

/** From the least to the most of these times, in ns: "1 us to 100 us". */
export function spanOf(timesNs: readonly number[]): string {
  const [least, most] = [Math.min(...timesNs), Math.max(...timesNs)].map(roughTime);
  return least === most ? least! : `${least} to ${most}`;
}
