import { formatNumber } from "../../reporter/src/numbers.ts";
import { addressAt } from "../capture/address.ts";
import { type Allocates, allocatesIn, type Figure } from "../judge/allocates.ts";
import { baselineOf, judgeTasks, nearnessOf } from "../judge/comparing.ts";
import { driftsIn } from "../judge/drift.ts";
import { NO_FLOOR, NOTHING_TO_COMPARE, UNBOUNDED } from "../judge/verdict.ts";
import { describeMachine, describeRuntime } from "../measure/machine/machine.ts";
import type { JudgedRow, Ratio } from "../schema/verdict.ts";
import { spanOf } from "./plan-races.ts";
import { type Contestant, comparingIn, partsOf, type RacedTasks, type TaskRace } from "./race-tasks.ts";
import type { ReportedGrowth } from "./scaling/growth-rows.ts";
import { timeText } from "./times.ts";

/** Version of the form of `--json`. It grows when a field goes, or changes its name or meaning; fields may come at any time. */
export const REPORT_VERSION = 1;

/** What came of a call: what `--json` writes, and what tables are made of. Times are in ns, ratios and floors are shares. */
export interface Report {
  readonly version: typeof REPORT_VERSION;
  /** Of hotpath-race. */
  readonly tool: string;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly runtime: ReturnType<typeof describeRuntime>;
  readonly seed: number;
  readonly races: readonly ReportedRace[];
  /** How times grow with a number in the names of tasks. */
  readonly growth: readonly ReportedGrowth[];
  /** Files, groups and tasks that were not raced. */
  readonly refused: readonly RefusedFile[];
}

export interface RefusedFile {
  /** URL of the bench file. */
  readonly file: string;
  /** One line that names the file, and the task where it is not all of the file. */
  readonly reason: string;
}

/** A group of tasks at one number of workers. */
export interface ReportedRace {
  /** URL of the bench file. */
  readonly file: string;
  /** As the file has it; empty for tasks that are in none. */
  readonly group: string;
  /** Which of its tasks, where not all of them race together. */
  readonly part?: string;
  readonly workers: number;
  /** The task that ratios are to. */
  readonly baseline: string;
  /** The one that was to be, where nothing can be compared with it. */
  readonly insteadOf?: string;
  /** What an empty task took, if ratios are of times without it; null where they are of whole times. */
  readonly emptyNs: number | null;
  /** The least difference that would be called one; null where it could not be measured. */
  readonly floor: number | null;
  readonly processes: number;
  /** Which processes were lost, and why. */
  readonly lost: readonly string[];
  /** Whether a law saw what the workers did. */
  readonly isProved: boolean;
  /** The fastest first; what has no number last. */
  readonly rows: readonly ReportedRow[];
}

export interface ReportedRow {
  readonly task: string;
  /** One operation of one worker, with a 99 % interval; null where it has no number. */
  readonly ns: Figure | null;
  /** Of its time to the baseline's, with the interval that the verdict rests on; null where there is none. */
  readonly ratio: Figure | null;
  /** `faster`, `slower`, `same`, `depends`, `cannot tell`, `no power`, `baseline`, `alone`, `not judged` or `no number`. */
  readonly verdict: string;
  /** What an operation allocates; null where that was not measured: of several workers, and without a number. */
  readonly allocates: Allocates | null;
  /** What it works on, by its file, a second; absent where that does not say it. */
  readonly throughput?: { readonly unit: "bytes" | "items"; readonly perSecond: Figure };
  /** What each process saw, in ns. */
  readonly processNs: readonly number[];
  /** Which optimised code each of them ran (see ../measure/machine/compiled-code.ts), "" where that is not known; absent where nothing was noted. */
  readonly compiled?: readonly string[];
  /** What changes how the row reads, a line each; why it has no number. */
  readonly remarks: readonly string[];
}

/** The report of a run, before anything was raced. */
export function emptyReport(tool: string, seed: number): Report {
  return {
    version: REPORT_VERSION,
    tool,
    machine: describeMachine(),
    runtime: describeRuntime(),
    seed,
    races: [],
    growth: [],
    refused: [],
  };
}

/** What came of a race, without the contestant that does nothing. */
export interface Raced extends RacedTasks {
  /** What that took, in ns; undefined where it did not race. */
  readonly emptyNs: number | undefined;
  /** Competitors whose times are too near that. */
  readonly near: ReadonlySet<string>;
}

/** Compares the tasks of a race with its baseline, or with another of them where nothing can be compared with that one. */
export function withoutEmpty(raced: RacedTasks): Raced {
  const { judged, results, groups } = raced;
  const comparing = comparingIn(raced.race);
  const { near } = nearnessOf(groups, comparing);
  const drifts = driftsIn(results.flatMap(({ forks }) => forks));
  const baseline = baselineOf(groups, comparing, (one) => !near.has(one) && !drifts.has(one));
  const empty = judged.rows.find(({ competitor }) => competitor === comparing.empty?.competitor);
  return {
    ...raced,
    judged:
      baseline === undefined
        ? { ...judged, rows: judged.rows.filter((row) => row !== empty) }
        : judgeTasks(groups, comparing, baseline, near),
    emptyNs: empty?.noNumber === undefined ? empty?.median : undefined,
    near,
  };
}

/** `isProved`: whether a law was checked. */
export function reportedRace(raced: Raced, isProved: boolean): ReportedRace {
  const { race, judged, emptyNs } = raced;
  const { contestants, workers, title } = race;
  const [conditions] = judged.conditions;
  const floors = conditions?.floors ?? [];
  const named = contestants[race.baseline]!.label;
  const base = judged.rows.find(({ kind }) => kind === "baseline");
  const baseline = base === undefined ? named : labelIn(race, base);
  const doubt = doubtsIn(raced);
  const isBaseSound = base?.noNumber === undefined && base !== undefined && doubt(base) === undefined;
  const whyApart = (row: JudgedRow) => {
    if (!isBaseSound) return row === base ? undefined : apart;
    if (row.noNumber !== undefined) return undefined;
    if (row.verdict === NO_FLOOR) return `${NO_FLOOR}: the baseline's second crew has no number`;
    return row.verdict === NOTHING_TO_COMPARE ? apart : undefined;
  };
  const allocates = allocatesIn(
    raced.results.flatMap(({ forks }) => forks),
    base?.competitor,
  );
  const apart = `it cannot be compared with ${baseline}; --baseline NAME takes another`;
  const rows = judged.rows
    .filter(({ kind }) => kind !== "aa-control")
    .map((row) =>
      unlessUnjudged(
        {
          ...reportedRow(row, labelIn(race, row), allocates.get(row.competitor)),
          ...throughputOf(contestantIn(race, row), row),
        },
        doubt(row) ?? whyApart(row),
        isBaseSound && isBound(raced, row),
      ),
    );
  return {
    file: addressAt(contestants[race.baseline]!.url)!.file,
    group: title,
    ...partOf(race, rows),
    workers,
    baseline,
    ...(baseline === named ? {} : { insteadOf: named }),
    emptyNs: isAwaited(race) ? (emptyNs ?? null) : null,
    floor: floors.length === 0 ? null : Math.max(...floors),
    processes: conditions?.forks ?? 0,
    lost: conditions?.lostForks ?? [],
    isProved,
    rows: rows.length === 1 ? rows.map(alone) : rows,
  };
}

/** The row of a task that raced beside no other. */
function alone(row: ReportedRow): ReportedRow {
  return row.verdict === "baseline" ? { ...row, verdict: "alone" } : row;
}

/** Which of its tasks raced: a range of times by what was measured, and by a look at them where nothing was. */
function partOf(race: TaskRace, rows: readonly ReportedRow[]): Pick<ReportedRace, "part"> {
  const timesNs = rows.flatMap(({ ns }) => ns?.value ?? []);
  const span = race.span === undefined || timesNs.length === 0 ? race.span : spanOf(timesNs);
  const parts = partsOf({ ...race, span });
  return parts.length === 0 ? {} : { part: parts.join(", ") };
}

function labelIn(race: TaskRace, row: JudgedRow): string {
  return contestantIn(race, row).label;
}

function contestantIn({ contestants }: TaskRace, { competitor }: JudgedRow): Contestant {
  return contestants[Number(competitor.slice(1))]!;
}

/** Nothing where the file does not say what an operation works on, or it has no number. */
function throughputOf({ perOperation }: Contestant, row: JudgedRow): Pick<ReportedRow, "throughput"> {
  if (perOperation === undefined || row.noNumber !== undefined) return {};
  const { unit, amount } = perOperation;
  const { value, low, high } = figureOf({ value: row.median, ...(row.interval ?? UNBOUNDED) });
  const perSecond = (ns: number | null) => ns && (1e9 * amount) / ns;
  return {
    throughput: { unit, perSecond: { value: perSecond(value)!, low: perSecond(high), high: perSecond(low) } },
  };
}

/** Whether an empty task that is awaited raced beside the others. */
function isAwaited(race: TaskRace): boolean {
  return comparingIn(race).empty?.isAwaited === true;
}

/** Whether an awaited task is shown to be faster although it is too near the empty one for a ratio: what it has is a bound. */
function isBound({ race, near, results }: Raced, { competitor, ...row }: JudgedRow): boolean {
  return (
    isAwaited(race) &&
    near.has(competitor) &&
    row.noNumber === undefined &&
    row.verdict === "faster" &&
    !driftsIn(results.flatMap(({ forks }) => forks)).has(competitor)
  );
}

export function reportedRow(row: JudgedRow, task: string, allocates: Allocates | null = null): ReportedRow {
  if (row.noNumber !== undefined)
    return {
      ...{ task, ns: null, ratio: null, verdict: "no number" },
      ...{ allocates: null, processNs: [], remarks: [row.noNumber] },
    };
  const { median, interval, ratio, verdict, processes, flags } = row;
  return {
    task,
    ns: figureOf({ value: median, ...(interval ?? UNBOUNDED) }),
    ratio: ratio === undefined ? null : figureOf(ratio),
    verdict,
    allocates,
    processNs: processes.map(({ ns }) => ns),
    ...(processes.every(({ compiled }) => compiled === undefined)
      ? {}
      : { compiled: processes.map(({ compiled = "" }) => compiled) }),
    remarks: flags,
  };
}

export function figureOf({ value, low, high }: Ratio): Figure {
  return Number.isFinite(high) ? { value, low, high } : { value, low: null, high: null };
}

/** Why a row that has a time has no ratio; undefined where it may have one. */
function doubtsIn({ race, results, emptyNs, near }: Raced): (row: JudgedRow) => string | undefined {
  const drifts = driftsIn(results.flatMap(({ forks }) => forks));
  const tooNear = isAwaited(race)
    ? `too near the ${timeText(emptyNs!)} of an empty async task for a ratio`
    : "at the floor of the loop: may have been optimised away";
  return ({ noNumber, competitor }) => {
    if (noNumber !== undefined) return undefined;
    const times = drifts.get(competitor);
    if (times !== undefined)
      return `an operation takes ${formatNumber(times, 3)} times as long at the end of a process as at its start: ${times > 1 ? "its work grows, or V8 gave up its optimised code" : "its work shrinks, or V8 compiled it late"}`;
    return near.has(competitor) ? tooNear : undefined;
  };
}

function unlessUnjudged(row: ReportedRow, why: string | undefined, isBound: boolean): ReportedRow {
  const { ns, ratio, verdict, remarks } = row;
  if (ns === null || why === undefined) return row;
  const most = isBound ? `, which is at most ${formatNumber(ratio!.high!, 3)}` : "";
  return {
    ...row,
    ratio: null,
    verdict: isBound || verdict === "baseline" ? verdict : "not judged",
    remarks: [why + most, ...remarks],
  };
}
