import { beyondMemory } from "../../../engine/measure/plan/failures.ts";
import { forkSeed } from "../../../engine/measure/plan/plan.ts";
import type { Failure } from "../../../engine/measure/plan/protocol.ts";
import type { Watched } from "../../../engine/measure/run/watched.ts";
import { present } from "../../../engine/words/present.ts";
import { Random } from "../../../engine/words/random.ts";
import type { SurveyedCell, SurveyJob, SurveyOutcome, SurveyResult } from "../outcomes.ts";
import { surveyEstimateMs } from "../pace.ts";
import type { LabPlan, SurveyPlan } from "../plan.ts";

const { href: SURVEY } = new URL("./survey.ts", import.meta.url);

/** Makes the surveys of a plan, one after the other, from the first that is not `done` on. */
export async function surveyAll(
  plan: LabPlan,
  done: number,
  watched: Watched,
  observer: { surveyed(result: SurveyResult): void },
): Promise<void> {
  const { signal } = watched;
  for (const [index, survey] of plan.surveys.entries()) {
    if (signal.aborted) return;
    if (index < done) continue;
    const cells = await surveyOne(plan, index, survey, watched);
    if (signal.aborted) return;
    observer.surveyed({ plan: survey, cells });
  }
}

/**
 * One process after the other, so that each has the machine to itself. Every competitor has a turn before any has its
 * second, so that host noise falls on all. The order of turns is shuffled, so that none always follows the same one.
 */
async function surveyOne(
  { lab, seed, size }: LabPlan,
  index: number,
  planned: SurveyPlan,
  { clock, estimate, announce, signal, ask }: Watched,
): Promise<readonly SurveyedCell[]> {
  const { survey: _, entries, ...scenario } = planned;
  const estimateMs = surveyEstimateMs(planned, size);
  const seen = new Map<string, SurveyOutcome[]>(entries.map(({ name }) => [name, []]));
  const failures = new Map<string, Failure>();
  for (let fork = 0; fork < scenario.forks; fork++) {
    const seedOfTurn = forkSeed(seed, index, fork);
    for (const entry of new Random(seedOfTurn).shuffle([...entries])) {
      if (signal.aborted) return [];
      const tooMuch = beyondMemory(scenario.bytes);
      if (tooMuch !== undefined) failures.set(entry.name, failures.get(entry.name) ?? tooMuch);
      if (failures.has(entry.name)) {
        estimate.ended("surveys", estimateMs, 0);
        continue;
      }
      const name = `${scenario.primitive}/${scenario.scenario}/${entry.name}`;
      const label = `${name}, surveyed ${fork + 1} of ${scenario.forks}`;
      const argument: SurveyJob = { lab, scenario, entry, seed: seedOfTurn, size };
      const job = { kind: "call", module: SURVEY, argument, isAlone: true } as const;
      const begunMs = performance.now();
      const stretch = clock.begin(estimateMs, label);
      const answer = await ask(job, { estimateMs, progress: stretch.within, signal }, planned.remote?.start);
      stretch.end();
      estimate.ended("surveys", estimateMs, performance.now() - begunMs);
      announce();
      if (answer.kind === "lost") failures.set(entry.name, answer.failure);
      if (answer.kind !== "called") continue;
      const outcome = answer.value as SurveyOutcome;
      if (outcome.failure === undefined) seen.get(entry.name)!.push(outcome);
      else failures.set(entry.name, outcome.failure);
    }
  }
  return entries.map(({ name }): SurveyedCell => {
    const failure = failures.get(name);
    const outcomes = seen.get(name)!;
    return {
      competitor: name,
      ...present({ failure }),
      forks: outcomes.map(({ metrics }) => metrics),
    };
  });
}
