import { type SquaredError, sumOfErrors } from "../../engine/judge/verdict.ts";
import { studentP, sum } from "../../engine/statistics.ts";
import { deviationOf, type Lent, lentTo, ofAnotherRun, processesOf, shownVerdict } from "./another-run.ts";
import {
  betweenRunsOf,
  comparableOf,
  errorOf,
  type Repeat,
  type RepeatedRow,
  repeatedRows,
} from "./between-runs.ts";

/**
 * Whether intervals for another run hold: each run is left out in turn, what runs differ by is estimated from the others alone,
 * and each of those on its host is asked for the ratio of the one left out. Pure.
 */

/** A row in two runs of a host. */
export interface RunPair {
  readonly scenario: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** Distance of both ratios in units of the errors of both runs, and its p. */
  readonly plain: Distance;
  /** The same with the deviation between runs. */
  readonly levelled: Distance;
  /** Whether the ratio lies outside the interval that the other run prints for it. */
  readonly isOutside: boolean;
  readonly isReversed: boolean;
  /** Whether the verdict of either run says that it is of that run alone. */
  readonly isSaid: boolean;
}

interface Distance {
  readonly z: number;
  readonly p: number;
}

export function leftOutRuns(runs: readonly Repeat[]): RunPair[] {
  const all = repeatedRows(runs);
  return runs.flatMap((run) => {
    const others = all.map((row) => ({ ...row, seen: row.seen.filter((one) => one.run !== run) }));
    return pairsIn(all, betweenRunsOf(others), (left) => left.run === run);
  });
}

/** Pairs of runs of a host from which nothing was learnt, by what others show. */
export function runPairs(runs: readonly Repeat[], known: Known): RunPair[] {
  return pairsIn(repeatedRows(runs), known, () => true);
}

type Known = Parameters<typeof lentTo>[0];

/** Each row in each run that `isMeant` and in every other one that compares with it. */
function pairsIn(rows: readonly RepeatedRow[], known: Known, isMeant: (left: Seen) => boolean): RunPair[] {
  return rows.flatMap((row) => {
    const lent = lentTo(known, row)?.of(row.cell);
    if (lent === undefined) return [];
    const sides = row.seen.map((seen) => sideOf(seen, lent));
    return sides
      .filter(({ seen }) => isMeant(seen))
      .flatMap((left) =>
        sides.filter((one) => areComparable(one, left)).map((other) => pairOf(row, left, other)),
      );
  });
}

function areComparable({ seen: { run } }: Side, { seen: { run: other } }: Side): boolean {
  return run !== other && comparableOf(run) === comparableOf(other);
}

type Seen = RepeatedRow["seen"][number];

/** A row in a run, and what it borrows there. */
interface Side {
  readonly seen: Seen;
  readonly lent: Lent;
}

export function sideOf(seen: Seen, lent: Omit<Lent, "processes">): Side {
  const table = seen.race.rows.filter(({ workers }) => workers === seen.row.workers);
  return { seen, lent: { ...lent, processes: processesOf(table) } };
}

function pairOf({ scenario, workers, oversubscribed }: RepeatedRow, left: Side, other: Side): RunPair {
  const [before, after] = [other, left].map(({ seen, lent }) => ofAnotherRun(seen.row, lent));
  const verdicts = [before!.verdict, after!.verdict];
  const { low, high } = before!.another!;
  const ratio = Math.exp(left.seen.middle);
  const errors = [left.seen, other.seen].map(errorOf);
  // The same multiple in both runs, so not twice as well known.
  const deviations = [left, other].map(({ seen, lent }) => deviationOf(seen, lent));
  const deviation = { ...deviations[0]!, squaredError: sum(deviations.map((one) => one.squaredError)) };
  const apart = left.seen.middle - other.seen.middle;
  return {
    scenario,
    workers,
    oversubscribed,
    plain: distance(apart, errors),
    levelled: distance(apart, [...errors, deviation]),
    isOutside: ratio < low || ratio > high,
    isReversed: verdicts.includes("faster") && verdicts.includes("slower"),
    isSaid: [before!, after!].some((row) => shownVerdict(row) !== row.verdict),
  };
}

function distance(apart: number, errors: readonly SquaredError[]): Distance {
  const { squaredError, freedom } = sumOfErrors(...errors);
  const z = apart / Math.sqrt(squaredError);
  return { z, p: studentP(Math.abs(z), freedom) };
}
