import { scenarioOf } from "../../../suites/engine/measure/plan.ts";
import { type Matrix, matrixOf } from "../../../suites/engine/render/matrix.ts";
import type { GroupRecord } from "../../../suites/engine/schema/record.ts";
import { judgedAt } from "./contest.ts";
import type { PrimitiveData, RecordFile } from "./site-data.ts";

/** A scenario on several runtimes, of one record and at one worker count. */
export interface MatrixSeen {
  readonly source: RecordFile;
  readonly matrix: Matrix;
}

/** Of the newest record that has it, at the most workers that were raced there, unless others were raced and are asked for. */
export function matrixOn(
  { runtimeRecords = [] }: PrimitiveData,
  scenario: string,
  asked: { readonly workers: number; readonly record?: string },
): MatrixSeen | undefined {
  const isOf = (group: GroupRecord) => scenarioOf(group.scenario) === scenario;
  const sources = runtimeRecords.filter(({ record }) => record.groups.some(isOf));
  const source = sources.find(({ file }) => file === asked.record) ?? sources.at(-1);
  if (source === undefined) return undefined;
  const groups = source.record.groups.filter(isOf);
  const counts = groups.map(({ workers }) => workers);
  const workers = counts.includes(asked.workers) ? asked.workers : Math.max(...counts);
  const own = groups.filter((group) => group.workers === workers);
  const races = [...Map.groupBy(own, (group) => group.scenario).values()];
  const matrix = matrixOf(races.map((race) => judgedAt(source.record, race, workers)));
  return matrix === undefined ? undefined : { source, matrix };
}
