import { cellName, PROFILES } from "../../suites/engine/measure/plan/plan.ts";
import { type Candidate, requested } from "../../suites/lab/candidates.ts";
import type { Median } from "../../suites/lab/cores/data/measured.ts";
import type { CoresPlan } from "../../suites/lab/cores/plan.ts";
import type { Measured } from "../../suites/lab/cores/run.ts";
import { type RunIdentity, recordedRun } from "../../suites/lab/recorded-run.ts";
import { planOn, requestOf } from "../../suites/lab/request.ts";
import { judgeRecord } from "../../suites/lab/verdicts/judge-record.ts";

/**
 * What was measured, and besides it what one worker of each candidate waits for one operation on this machine, raced now
 * and quickly. That is what their local work is taken from.
 */
export async function withCandidatesMeasured(
  measured: ReadonlyMap<string, Measured>,
  { structures, seed }: CoresPlan,
  candidates: readonly Candidate[],
  identity: Pick<RunIdentity, "command" | "argv" | "commit">,
): Promise<ReadonlyMap<string, Measured>> {
  const urls = new Set(candidates.map(({ entry }) => entry.url));
  const own = structures.filter(({ url, absent }) => urls.has(url) && absent === undefined);
  const cells = own.map(({ race: { primitive, scenario, alone = scenario }, competitor }) =>
    cellName(primitive, alone, competitor, 1),
  );
  if (cells.length === 0) return measured;
  const request = await requestOf({
    filters: [...new Set(cells)],
    workers: [1],
    profile: PROFILES.quick,
    seed,
    ...requested(candidates),
  });
  const record = await recordedRun(await planOn([], request), identity);
  const medians = new Map<string, Median>(
    judgeRecord(record)
      .races.flatMap(({ rows }) => rows)
      .flatMap((row) =>
        row.noNumber === undefined
          ? [[row.cell, { ns: row.median, file: "measured now", commit: "none" }] as const]
          : [],
      ),
  );
  return new Map(
    [...measured].map(([race, { own: published, alone }]) => {
      const [primitive = "", scenario = ""] = race.split("/");
      const raced = own.find(
        (structure) => structure.race.primitive === primitive && structure.race.scenario === scenario,
      );
      const at = (competitor: string, workers: number) =>
        alone.at(competitor, workers) ??
        medians.get(cellName(primitive, raced?.race.alone ?? scenario, competitor, workers));
      return [race, { own: published, alone: { at } }];
    }),
  );
}
