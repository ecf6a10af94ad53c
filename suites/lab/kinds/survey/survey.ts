import { importCompetitor } from "../../../engine/measure/load/load.ts";
import { nowNs } from "../../../engine/measure/machine/clock.ts";
import { thrown } from "../../../engine/measure/plan/failures.ts";
import { scenarioOf } from "../../../engine/measure/plan/plan.ts";
import type { Failure } from "../../../engine/measure/plan/protocol.ts";
import { allocateWith } from "../../../engine/words/layout.ts";
import { heldBytes, NODE_COUNTERS } from "../../runtimes/held-bytes.ts";
import { importSurvey } from "../described.ts";
import { unclearMetric } from "../outcome.ts";
import type { SurveyJob, SurveyOutcome } from "../outcomes.ts";
import { surveyTail } from "../tail/tail.ts";
import { linearBytes, linearsWatched } from "./linear-bytes.ts";

/** Surveys one competitor. */
export default async function survey(job: SurveyJob): Promise<SurveyOutcome> {
  const { lab, scenario, entry, seed, size } = job;
  const described = await importSurvey(scenario.moduleUrl, scenarioOf(scenario.scenario));
  const without = (kind: Failure["kind"], reason: string) => ({ failure: { kind, reason }, metrics: {} });
  try {
    if (described.kind === "tail") return await surveyTail(described, job);
    const params = described.params[size];
    const candidate = await importCompetitor(entry.url, lab);
    const collections = size === "smoke" ? 1 : COLLECTIONS;
    allocateWith(linearsWatched);
    const metrics = await described.run(candidate, params, seed, {
      nowNs,
      heldBytes: () => heldBytes(scenario.counters ?? NODE_COUNTERS, collections) + linearBytes(),
      competitorUrl: entry.url,
      start: scenario.start,
    });
    const broken = described.law(candidate, params, metrics);
    if (broken !== undefined) return without("law", broken);
    const unclear = unclearMetric(metrics, described);
    return unclear === undefined ? { metrics } : without("fault", unclear);
  } catch (error) {
    return without("fault", thrown(error));
  }
}

/**
 * More than V8 lets pass before it drops the bytecode of a function that is not called any more. At smoke size figures
 * are not judged.
 */
const COLLECTIONS = 10;
