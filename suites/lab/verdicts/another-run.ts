import {
  isDecided,
  type Judgement,
  REGIMES,
  type SquaredError,
  sumOfErrors,
  type Verdict,
  verdictOn,
} from "../../engine/judge/verdict.ts";
import type {
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedRow,
  JudgedScenario,
  Ratio,
} from "../../engine/schema/verdict.ts";
import { type Bounds, mean, studentQuantile } from "../../engine/statistics.ts";
import { present } from "../../engine/words/present.ts";
import {
  type BetweenRuns,
  betweenProcesses,
  errorOf,
  keyOf,
  type RatioSeen,
  type WorkersKey,
} from "./between-runs.ts";

/** What another run of a race would show: what is lent to a row, and how tables print it. Pure. */

/** What a row borrows. */
export interface Lent {
  /** Variance between runs over that between processes. */
  readonly times: number;
  /** The latter, of the rows of its table in the run itself. */
  readonly processes: number;
  readonly freedom: number;
}

/** Of the ratio that another run would show. */
export const CONFIDENCE = 0.95;

/**
 * The ends between which the ratio of another run lies with 95 % probability (a prediction interval). Both runs have an error and
 * a deviation of their own, so the variance counts twice.
 */
export function anotherRun(seen: RatioSeen, lent: Lent): Bounds | undefined {
  if (seen.freedom === 0) return undefined;
  const { squaredError, freedom } = sumOfErrors(errorOf(seen), deviationOf(seen, lent));
  const reach = studentQuantile((1 + CONFIDENCE) / 2, freedom) * Math.sqrt(2 * squaredError);
  return { low: Math.exp(seen.middle - reach), high: Math.exp(seen.middle + reach) };
}

/** Of a run's ratio, by the run. Processes scatter as they do half in the row and half in its table. */
export function deviationOf(seen: RatioSeen, { times, processes, freedom }: Lent): SquaredError {
  const own = { squaredError: (times * (betweenProcesses(seen) + processes)) / 2, freedom };
  return seen.ofProcesses === undefined ? own : amongRegimes(own);
}

/** In degrees of freedom: races minutes apart show regimes of the scheduler, and runs hours apart may differ by more. */
const MINUTES_APART = 2;

/** With more workers than cores, moderated by how far regimes of the scheduler move a ratio within a run. */
function amongRegimes({ squaredError, freedom }: SquaredError): SquaredError {
  const both = freedom + MINUTES_APART;
  return {
    squaredError: (freedom * squaredError + MINUTES_APART * REGIMES.squaredError) / both,
    freedom: both,
  };
}

/** The deviation of a ratio of this table between runs, as a share. */
export function deviationIn({ oversubscribed, betweenRuns }: WithRuns): number {
  const { times, processes, freedom } = betweenRuns;
  const own = { squaredError: times * processes, freedom };
  return Math.sqrt((oversubscribed ? amongRegimes(own) : own).squaredError);
}

type WithRuns = Conditions & Required<Pick<Conditions, "betweenRuns">>;

/** The mean variance between processes of a table's rivals; 0 where none has any. Two groups would count as one. */
export function processesOf(rows: readonly JudgedRow[]): number {
  const seen = rows.flatMap((row) =>
    row.noNumber === undefined && row.kind === "rival" && row.verdict !== "depends"
      ? (row.toBaseline ?? [])
      : [],
  );
  const known = seen.filter(({ freedom }) => freedom > 0);
  return known.length === 0 ? 0 : mean(known.map(betweenProcesses));
}

/** What a table borrows, and `of` each of its rows; undefined where nothing is known of its number of workers. */
export function lentTo(
  { tables, workers }: Pick<BetweenRuns, "workers" | "tables">,
  table: WorkersKey & { readonly scenario: string },
) {
  const isSame = (one: WorkersKey) => keyOf(one) === keyOf(table);
  const own = tables.find((one) => one.scenario === table.scenario && isSame(one));
  const lent = own ?? workers.find(isSame);
  if (lent === undefined) return undefined;
  const { times, freedom, runs } = lent;
  return { own, times, freedom, runs, of: (cell: string) => ({ times: own?.rows[cell] ?? times, freedom }) };
}

/**
 * The races with what another run of each row would show. Of races on several runtimes no run was repeated, and nothing is
 * known of tables whose number of workers was not.
 */
export function withAnotherRun(judged: JudgedScenario, known: BetweenRuns | undefined): JudgedScenario {
  if (known === undefined || judged.runtimes !== undefined) return judged;
  const scenario = `${judged.primitive}/${judged.scenario}`;
  const tables = judged.conditions.flatMap(({ workers, oversubscribed }) => {
    const lent = lentTo(known, { scenario, workers, oversubscribed });
    if (lent === undefined) return [];
    const processes = processesOf(judged.rows.filter((row) => row.workers === workers));
    const { own, of, times, freedom, runs } = lent;
    const betweenRuns = { times, processes, freedom, runs, isOwn: own !== undefined };
    return [{ workers, betweenRuns, of }];
  });
  const tableAt = (workers: number) => tables.find((table) => table.workers === workers);
  return {
    ...judged,
    conditions: judged.conditions.map((conditions) => ({
      ...conditions,
      ...present({ betweenRuns: tableAt(conditions.workers)?.betweenRuns }),
    })),
    rows: judged.rows.map((row) => {
      const table = tableAt(row.workers);
      if (row.noNumber !== undefined || table === undefined) return row;
      const { betweenRuns } = table;
      return ofAnotherRun(row, { ...betweenRuns, ...table.of(row.cell) });
    }),
  };
}

/** A rival with what another run would show of it. */
export function ofAnotherRun(row: JudgedMeasured, lent: Lent): JudgedMeasured {
  if (row.toBaseline === undefined || row.kind !== "rival") return row;
  const { groups } = row.toBaseline;
  return {
    ...row,
    ...present({ another: anotherRun(row.toBaseline, lent) }),
    ...present({
      groups: row.groups?.map((group, index) => ({
        ...group,
        ...present({ another: groups?.[index] && anotherRun(groups[index], lent) }),
      })),
    }),
  };
}

interface Shown {
  readonly verdict: string;
  readonly another?: Bounds | undefined;
  readonly toBaseline?: Pick<Contrast, "floor"> | undefined;
}

/** A ratio as tables print it: with the interval for another run where one is known, and else with that of its own run. */
export function shownRatio<R extends Ratio | undefined>(row: {
  readonly ratio?: R;
  readonly another?: Bounds | undefined;
}): R {
  const { ratio, another } = row;
  return (ratio === undefined || another === undefined ? ratio : { ...ratio, ...another }) as R;
}

/** Stands behind a verdict that the interval for another run does not bear out. */
export const IN_THIS_RUN = "in this run";

/** A verdict as tables print it. It is the run's own. */
export function shownVerdict({ verdict, another, toBaseline }: Shown): string {
  if (!isDecided(verdict as Verdict) || another === undefined || toBaseline === undefined) return verdict;
  return verdictOn(another, toBaseline.floor) === verdict ? verdict : `${verdict} ${IN_THIS_RUN}`;
}

/** A row as tables print it. */
export function asShown(row: JudgedMeasured): JudgedMeasured {
  return { ...row, ...present({ ratio: shownRatio(row) }), verdict: shownVerdict(row) };
}

/** The same of two rows of which neither is the baseline: they borrow what their table shows. */
export function shownJudgement(
  judgement: Judgement,
  seen: Contrast,
  { betweenRuns }: Pick<Conditions, "betweenRuns">,
): Omit<Judgement, "verdict"> & { readonly verdict: string } {
  const another = betweenRuns && anotherRun(seen, betweenRuns);
  const row = { ...judgement, ...present({ another }), toBaseline: seen };
  return { ...judgement, ratio: shownRatio(row), verdict: shownVerdict(row) };
}
