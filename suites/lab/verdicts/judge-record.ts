import { inTableOrder, judgeScenario } from "../../engine/judge/judge.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import type { BenchRecord, RecordContents } from "../schema/record.ts";
import type { JudgedRecord, Verdicts } from "../schema/verdict.ts";
import { withAnotherRun } from "./another-run.ts";
import type { BetweenRuns } from "./between-runs.ts";
import { judgeSimulation, judgeSurvey } from "./metrics.ts";

/**
 * From a record to its verdicts. Pure: the same record gives the same figures and verdicts to the last digit. Judging a
 * large record takes a second, so a command that reads one judges it once. `betweenRuns`: what repeated runs show, for the
 * interval of another run; without it rows have that of their own run alone.
 */
export function judgeRecord(
  { groups, simulations, surveys = [] }: RecordContents,
  betweenRuns?: BetweenRuns,
): Verdicts {
  const byScenario = Map.groupBy(groups, ({ primitive, scenario }) => `${primitive}/${scenario}`);
  return {
    races: [...byScenario.values()].map((own) => withAnotherRun(judgeScenario(own), betweenRuns)),
    metrics: [...simulations.map(judgeSimulation), ...surveys.map(judgeSurvey)],
  };
}

export function judgedRecord(record: BenchRecord, betweenRuns?: BetweenRuns): JudgedRecord {
  return { record, verdicts: judgeRecord(record, betweenRuns) };
}

/** The tables of a judged scenario at these worker counts alone: each is judged by itself. */
export function tablesAt(judged: JudgedScenario, workers: ReadonlySet<number>): JudgedScenario {
  const isMeant = (table: { readonly workers: number }) => workers.has(table.workers);
  return { ...judged, rows: judged.rows.filter(isMeant), conditions: judged.conditions.filter(isMeant) };
}

/** The tables of one scenario, judged in several records, as one. The newest comes first and describes the scenario. */
export function joinedTables(
  judged: readonly [newest: JudgedScenario, ...older: JudgedScenario[]],
): JudgedScenario {
  const [newest, ...older] = judged;
  if (older.length === 0) return newest;
  const columns = judged.flatMap((each) => each.columns).map((column) => [column.key, column] as const);
  const absences = Map.groupBy(
    judged.flatMap(({ absent }) => absent),
    ({ reason }) => reason,
  );
  return {
    ...newest,
    columns: [...new Map(columns).values()],
    rows: judged.flatMap(({ rows }) => rows).toSorted(inTableOrder),
    absent: [...absences].map(([reason, same]) => ({
      reason,
      competitors: [...new Set(same.flatMap(({ competitors }) => competitors))],
    })),
    conditions: judged.flatMap(({ conditions }) => conditions).toSorted((a, b) => a.workers - b.workers),
  };
}
