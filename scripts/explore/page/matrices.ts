import { runtimesOf } from "../../../suites/engine/judge/judge.ts";
import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import type { GroupRecord } from "../../../suites/engine/schema/record.ts";
import type { JudgedScenario, RacedRuntime } from "../../../suites/engine/schema/verdict.ts";
import { type Matrix, matrixOf } from "../../../suites/lab/tables/matrix.ts";
import { type Contest, judgedAt } from "./contest.ts";
import type { PrimitiveData, RecordFile } from "./site-data.ts";

/** A scenario on several runtimes, of one record and at one worker count. */
export interface MatrixSeen {
  readonly source: RecordFile;
  readonly matrix: Matrix;
  /** What it was made from, of all competitors. */
  readonly races: readonly JudgedScenario[];
}

/** What each scenario was raced on, of those that were raced on several runtimes. */
export function runtimesIn({ runtimeRecords }: PrimitiveData): ReadonlyMap<string, readonly RacedRuntime[]> {
  const groups = runtimeRecords.flatMap(({ record }) => record.groups);
  const byScenario = Map.groupBy(groups, ({ scenario }) => scenarioOf(scenario));
  return new Map([...byScenario].map(([scenario, same]) => [scenario, runtimesOf(same)]));
}

/**
 * Of a contest's scenario, and of those that are what is required; of the newest record that has it, unless `record` is
 * another, and at the contest's workers or, if that count was not raced on several runtimes, at the highest one that was.
 */
export function matrixOn(
  { runtimeRecords }: PrimitiveData,
  {
    scenario,
    conditions,
    unfit,
  }: Pick<Contest, "scenario" | "unfit"> & { readonly conditions: Pick<Contest["conditions"], "workers"> },
  record?: string,
): MatrixSeen | undefined {
  const isOf = (group: GroupRecord) => scenarioOf(group.scenario) === scenario;
  const sources = runtimeRecords.filter(({ record }) => record.groups.some(isOf));
  const source = sources.find(({ file }) => file === record) ?? sources.at(-1);
  if (source === undefined) return undefined;
  const groups = source.record.groups.filter(isOf);
  const counts = groups.map(({ workers }) => workers);
  const workers = counts.includes(conditions.workers) ? conditions.workers : Math.max(...counts);
  const byScenario = [...Map.groupBy(groups, (group) => group.scenario).values()];
  const races = byScenario
    .filter((race) => race.some((group) => group.workers === workers))
    .map((race) => judgedAt(source.record, race, workers, undefined));
  const matrix = matrixOf(races);
  if (matrix === undefined) return undefined;
  const panels = matrix.panels.map(({ title, rows }) => {
    return { title, rows: rows.filter(({ competitor }) => !unfit.includes(competitor)) };
  });
  return { source, matrix: { ...matrix, panels }, races };
}
