import { addressAt } from "../capture/address.ts";
import { driftsIn } from "../judge/drift.ts";
import { floorNote } from "../judge/floor.ts";
import { describeMachine, describeRuntime } from "../measure/machine/machine.ts";
import { formatNumber } from "../render/benchmark-reporter-markdown/src/numbers.ts";
import type { JudgedRow, Ratio } from "../schema/verdict.ts";
import type { PlannedRace } from "./plan-races.ts";
import type { RacedTasks } from "./race-tasks.ts";

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
  /** Files, groups and tasks that were not raced. */
  readonly refused: readonly Refusal[];
}

export interface Refusal {
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
  readonly ns: Ratio | null;
  /** Of its time to the baseline's, with the interval that the verdict rests on; null where there is none. */
  readonly ratio: Ratio | null;
  /** `faster`, `slower`, `same`, `depends`, `cannot tell`, `no power`, `baseline`, `not judged` or `no number`. */
  readonly verdict: string;
  /** What each process saw, in ns. */
  readonly processNs: readonly number[];
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
    refused: [],
  };
}

/** What came of a planned race, without the contestant that does nothing. */
export interface Raced extends RacedTasks {
  /** What that took, in ns; undefined where it did not race. */
  readonly emptyNs: number | undefined;
}

export function withoutFloor(raced: RacedTasks): Raced {
  const { floor }: Partial<PlannedRace> = raced.race;
  const isFloor = ({ competitor }: JudgedRow) => floor !== undefined && competitor === `t${floor}`;
  const { rows } = raced.judged;
  const empty = rows.find(isFloor);
  const others = rows.filter((row) => !isFloor(row));
  return {
    ...raced,
    judged: { ...raced.judged, rows: others },
    emptyNs: empty?.noNumber === undefined ? empty?.median : undefined,
  };
}

/** `isProved`: whether a law was checked. */
export function reportedRace(raced: Raced, isProved: boolean): ReportedRace {
  const { race, judged } = raced;
  const { contestants, baseline, workers, title, part } = race;
  const [conditions] = judged.conditions;
  const floors = conditions?.floors ?? [];
  const why = doubtsIn(raced);
  const base = judged.rows.find(({ kind }) => kind === "baseline");
  const isBaseSound = base !== undefined && why(base) === undefined;
  const rows = judged.rows
    .filter(({ kind }) => kind !== "aa-control")
    .map((row) => {
      const { label } = contestants[Number(row.competitor.slice(1))]!;
      return unlessUnjudged(reportedRow(row, label), why(row), isBaseSound || row === base);
    });
  return {
    file: addressAt(contestants[baseline]!.url)!.file,
    group: title,
    ...(part === undefined ? {} : { part }),
    workers,
    baseline: contestants[baseline]!.label,
    floor: floors.length === 0 ? null : Math.max(...floors),
    processes: conditions?.forks ?? 0,
    lost: conditions?.lostForks ?? [],
    isProved,
    rows,
  };
}

function reportedRow(row: JudgedRow, task: string): ReportedRow {
  if (row.noNumber !== undefined)
    return { task, ns: null, ratio: null, verdict: "no number", processNs: [], remarks: [row.noNumber] };
  const { median, interval, ratio, verdict, processes, flags } = row;
  return {
    task,
    ns: { value: median, ...interval },
    ratio: ratio ?? null,
    verdict,
    processNs: processes.map(({ ns }) => ns),
    remarks: flags,
  };
}

/** Why no verdict may rest on a row that has a time; undefined where one may. */
export function doubtsIn({ results, emptyNs }: Raced): (row: JudgedRow) => string | undefined {
  const drifts = driftsIn(results.flatMap(({ forks }) => forks));
  return (row) => whyUnjudged(row, drifts, emptyNs);
}

function whyUnjudged(
  row: JudgedRow,
  drifts: ReadonlyMap<string, number>,
  emptyNs: number | undefined,
): string | undefined {
  if (row.noNumber !== undefined) return undefined;
  const times = drifts.get(row.competitor);
  if (times !== undefined)
    return `an operation takes ${formatNumber(times, 3)} times as long at the end of a process as at its start: ${times > 1 ? "its work grows, or V8 gave up its optimised code" : "its work shrinks, or V8 compiled it late"}`;
  return emptyNs === undefined ? undefined : floorNote(row.median, emptyNs);
}

function unlessUnjudged(row: ReportedRow, why: string | undefined, isBaseSound: boolean): ReportedRow {
  if (row.ns === null || (why === undefined && isBaseSound)) return row;
  return {
    ...row,
    ratio: null,
    verdict: row.verdict === "baseline" ? row.verdict : "not judged",
    remarks: why === undefined ? row.remarks : [why, ...row.remarks],
  };
}
