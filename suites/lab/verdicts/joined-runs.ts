import { sumOfErrors } from "../../engine/judge/verdict.ts";
import type { Ratio } from "../../engine/schema/verdict.ts";
import { mean, studentQuantile, sum } from "../../engine/statistics.ts";
import { CONFIDENCE, deviationOf, lentTo } from "./another-run.ts";
import { type BetweenRuns, comparableOf, errorOf, type RepeatedRow } from "./between-runs.ts";
import { type HostReading, verdictOfRuns } from "./hosts.ts";
import { sideOf } from "./run-pairs.ts";

/**
 * Rows with more workers than cores, each of all runs of a host. The processes of one run saw one regime of the scheduler, so
 * only several say how much a row costs. Pure.
 */

/** The rows that one host raced in at least two runs by one method. */
export interface JoinedTable {
  readonly scenario: string;
  readonly workers: number;
  readonly host: string;
  readonly baseline: string;
  readonly runs: number;
  /** The lowest ratio first. */
  readonly rows: readonly JoinedRow[];
}

/** `ratio`: the geometric mean of the runs, and the interval in which that of another run lies with 95 % probability. */
export interface JoinedRow extends Omit<HostReading, "only"> {
  /** Competitor, and in brackets its role where there are several. */
  readonly name: string;
  readonly ratio: Ratio;
}

export function joinedTables(rows: readonly RepeatedRow[], known: BetweenRuns): JoinedTable[] {
  const crowded = rows.filter(({ oversubscribed }) => oversubscribed);
  return [...Map.groupBy(crowded, ({ scenario, workers }) => `${scenario} ${workers}`).values()].flatMap(
    (table) => {
      const hosts = new Set(table.flatMap(({ seen }) => seen.map(({ run }) => comparableOf(run))));
      return [...hosts].flatMap((host) => joinedTable(table, host, known) ?? []);
    },
  );
}

/** Undefined where no row has two runs. */
function joinedTable(
  table: readonly RepeatedRow[],
  comparable: string,
  known: BetweenRuns,
): JoinedTable | undefined {
  const joined = table.flatMap((row) => {
    const seen = row.seen.filter(({ run }) => comparableOf(run) === comparable);
    return seen.length < 2 ? [] : [{ row, seen }];
  });
  const [first] = joined;
  if (first === undefined) return undefined;
  const { scenario, workers } = first.row;
  const { run, race } = first.seen[0]!;
  const rows = joined.map(({ row, seen }) => joinedRow({ ...row, seen }, known));
  return {
    scenario,
    workers,
    host: run.host,
    baseline: race.conditions.find((one) => one.workers === workers)!.baseline!,
    runs: Math.max(...joined.map(({ seen }) => seen.length)),
    rows: rows.toSorted((a, b) => a.ratio.value - b.ratio.value),
  };
}

function joinedRow(row: RepeatedRow, known: BetweenRuns): JoinedRow {
  const {
    run,
    row: { competitor, role },
  } = row.seen[0]!;
  const said = row.seen.map(({ row: { verdict } }) => verdict);
  const name = role === undefined ? competitor : `${competitor} (${role})`;
  return { name, host: run.host, said, verdict: verdictOfRuns(said), ratio: ratioOfRuns(row, known) };
}

/** The mean has the errors and deviations of its runs, and another run those of one. */
function ratioOfRuns(row: RepeatedRow, known: BetweenRuns): Ratio {
  const lent = lentTo(known, row)!.of(row.cell);
  const middle = mean(row.seen.map((one) => one.middle));
  const errors = row.seen.map(errorOf);
  const deviations = row.seen.map((one) => deviationOf(one, sideOf(one, lent).lent));
  const { squaredError, freedom } = sumOfErrors(
    {
      squaredError: mean(errors.map((one) => one.squaredError)),
      freedom: sum(errors.map((one) => one.freedom)),
    },
    // The same multiple in all runs, so not several times as well known.
    { ...deviations[0]!, squaredError: mean(deviations.map((one) => one.squaredError)) },
  );
  const reach =
    studentQuantile((1 + CONFIDENCE) / 2, freedom) * Math.sqrt((1 + 1 / row.seen.length) * squaredError);
  return { value: Math.exp(middle), low: Math.exp(middle - reach), high: Math.exp(middle + reach) };
}
