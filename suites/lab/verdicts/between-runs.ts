import type { Evidence, SquaredError } from "../../engine/judge/verdict.ts";
import type { Contrast, JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { mean, sum } from "../../engine/statistics.ts";

/**
 * How far another run of a race comes out. The processes of a run do not show it, so it is learnt from whole runs that were
 * repeated, and lent to all others. All arithmetic is on logarithms of ratios. Pure.
 *
 * What is learnt and lent is a multiple: how many times the variance between processes the variance between runs is. Unlike a
 * deviation it holds on other hosts and in other scenarios, because where processes scatter, runs do too. Of a row it is the
 * variance of its ratios over the runs of a host by one method, less their mean squared error, over the variance of its processes. A row has
 * few runs, so its multiple is moderated by that of its table, and a table's by that of all tables with as many workers: what is
 * above counts as `ABOVE` degrees of freedom. What was not repeated borrows from above.
 */
export interface BetweenRuns {
  readonly runs: readonly { readonly file: string; readonly host: string }[];
  /** What tables without repeats borrow, by their workers. */
  readonly workers: readonly WorkersBetweenRuns[];
  readonly tables: readonly TableBetweenRuns[];
}

interface WorkersBetweenRuns extends WorkersKey {
  readonly times: number;
  readonly freedom: number;
  readonly runs: number;
  readonly tables: number;
}

export interface TableBetweenRuns extends WorkersKey {
  /** primitive/scenario */
  readonly scenario: string;
  readonly runs: number;
  readonly hosts: number;
  /** Of the logarithm of a ratio, between the runs of a host, as these show it. */
  readonly deviation: number;
  /** Degrees of freedom: one less than the runs of each host and method. */
  readonly freedom: number;
  /** Variance between runs over that between processes, moderated: what rows without repeats borrow. */
  readonly times: number;
  /** The same of its rows, by the names of their cells. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface WorkersKey {
  readonly workers: number;
  readonly oversubscribed: boolean;
}

/** A whole run, judged, and the host that it ran on. */
export interface Repeat {
  readonly host: string;
  /** Version of the method: runs of different ones do not compare. */
  readonly method: number;
  readonly races: readonly JudgedScenario[];
}

/** What processes show of a mean, and how many they are. */
export type RatioSeen = Evidence & Pick<Contrast, "forks" | "ofProcesses">;

/** What one run shows of a row. */
interface Sighting extends RatioSeen {
  readonly run: Repeat;
  readonly race: JudgedScenario;
  readonly row: JudgedMeasured;
}

/** Of a row in all runs. */
export interface RepeatedRow extends WorkersKey {
  readonly scenario: string;
  readonly cell: string;
  readonly seen: readonly Sighting[];
}

/** In degrees of freedom: what is known of all rows or tables together, beside what one shows itself. */
const ABOVE = 4;
/** The rows of a table share their runs and their baseline: together they show less than each by itself. */
const SHARED = 1 / 4;
/** In a file, and so on every page that is made from it. */
const DIGITS = 4;

/** What these rows show; nothing of tables without two runs on a host. */
export function betweenRunsOf(rows: readonly RepeatedRow[]): Pick<BetweenRuns, "workers" | "tables"> {
  const scattered = rows.map((row) => ({ ...row, scatter: scatterOf(row.seen) }));
  const known = scattered.filter(({ scatter }) => scatter.freedom > 0 && scatter.processes > 0);
  const byTable = Map.groupBy(known, (row) => `${row.scenario} ${keyOf(row)}`);
  const tables = [...byTable.values()].map((own) => ({
    own,
    scatter: pooled(own.map((row) => row.scatter)),
  }));
  const byWorkers = Map.groupBy(tables, ({ own }) => keyOf(own[0]!));
  const usual = new Map(
    [...byWorkers].map(([key, same]) => [
      key,
      mean(same.map(({ scatter }) => Math.max(0, timesOf(scatter)))),
    ]),
  );
  return {
    workers: [...byWorkers.values()].map((same) => {
      const { workers, oversubscribed } = same[0]!.own[0]!;
      const times = usual.get(keyOf(same[0]!.own[0]!))!;
      const rows = same.flatMap(({ own }) => own);
      const [freedom, { size: runs }] = [freedomOf(rows), runsOf(rows)];
      return { workers, oversubscribed, times: rounded(times), freedom, runs, tables: same.length };
    }),
    tables: tables.map(({ own, scatter }) => tableOf(own, scatter, usual.get(keyOf(own[0]!))!)),
  };
}

function tableOf(
  own: readonly (RepeatedRow & { readonly scatter: Scatter })[],
  scatter: Scatter,
  usual: number,
): TableBetweenRuns {
  const { scenario, workers, oversubscribed } = own[0]!;
  const runs = runsOf(own);
  const times = moderated(scatter, usual);
  return {
    scenario,
    workers,
    oversubscribed,
    runs: runs.size,
    hosts: new Set([...runs].map(({ host }) => host)).size,
    deviation: rounded(Math.sqrt(Math.max(0, scatter.variance))),
    freedom: freedomOf(own),
    times: rounded(times),
    rows: Object.fromEntries(own.map((row) => [row.cell, rounded(moderated(row.scatter, times))])),
  };
}

/** A run is disturbed as a whole. Many rows show no more of it than one row does. */
function freedomOf(rows: readonly RepeatedRow[]): number {
  const runs = runsOf(rows);
  return runs.size - new Set([...runs].map(comparableOf)).size;
}

function runsOf(rows: readonly RepeatedRow[]): ReadonlySet<Repeat> {
  return new Set(rows.flatMap(({ seen }) => seen.map(({ run }) => run)));
}

/** The rivals of runs, each in all of them. */
export function repeatedRows(runs: readonly Repeat[]): RepeatedRow[] {
  const seen = runs.flatMap((run) =>
    run.races.flatMap((race) =>
      race.rows.flatMap((row) => {
        if (row.noNumber !== undefined || row.kind !== "rival" || row.toBaseline === undefined) return [];
        // It has two ratios, and their middle says nothing.
        if (row.verdict === "depends") return [];
        const { oversubscribed } = race.conditions.find(({ workers }) => workers === row.workers)!;
        const scenario = `${race.primitive}/${race.scenario}`;
        const sighting = { ...row.toBaseline, run, race, row };
        return [{ scenario, workers: row.workers, oversubscribed, cell: row.cell, ...sighting }];
      }),
    ),
  );
  const known = seen.filter(({ freedom }) => freedom > 0);
  return [...Map.groupBy(known, ({ cell, oversubscribed }) => `${cell} ${oversubscribed}`).values()].map(
    (own) => {
      const { scenario, cell, workers, oversubscribed } = own[0]!;
      return { scenario, cell, workers, oversubscribed, seen: own };
    },
  );
}

interface Scatter {
  /** Between runs; below zero where they scatter less than their errors say. */
  readonly variance: number;
  /** Variance between the processes of a run. */
  readonly processes: number;
  readonly freedom: number;
}

/** Of a row over the runs of each host and method, less what their errors explain. */
function scatterOf(seen: readonly Sighting[]): Scatter {
  let [squares, explained, freedom] = [0, 0, 0];
  for (const own of Map.groupBy(seen, ({ run }) => comparableOf(run)).values()) {
    const middle = mean(own.map((one) => one.middle));
    for (const one of own) squares += (one.middle - middle) ** 2;
    explained += (own.length - 1) * mean(own.map((one) => errorOf(one).squaredError));
    freedom += own.length - 1;
  }
  const variance = freedom === 0 ? 0 : (squares - explained) / freedom;
  return { variance, processes: mean(seen.map(betweenProcesses)), freedom };
}

/** Of a run's ratio, as its processes show it. Regimes of the scheduler are part of what runs differ by. */
export function errorOf(seen: RatioSeen): SquaredError {
  return seen.ofProcesses ?? seen;
}

export function betweenProcesses(seen: RatioSeen): number {
  return errorOf(seen).squaredError * seen.forks;
}

function pooled(rows: readonly Scatter[]): Scatter {
  const freedom = sum(rows.map((row) => row.freedom));
  const variance = sum(rows.map((row) => row.freedom * row.variance)) / freedom;
  return { variance, processes: mean(rows.map(({ processes }) => processes)), freedom: SHARED * freedom };
}

function timesOf({ variance, processes }: Scatter): number {
  return variance / processes;
}

function moderated(own: Scatter, above: number): number {
  return Math.max(0, (own.freedom * timesOf(own) + ABOVE * above) / (own.freedom + ABOVE));
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** Runs with the same one compare. */
export function comparableOf({ host, method }: Repeat): string {
  return `${host} ${method}`;
}

export function keyOf({ workers, oversubscribed }: WorkersKey): string {
  return `${workers} ${oversubscribed}`;
}
