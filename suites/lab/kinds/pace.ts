import { availableParallelism } from "node:os";
import { TimeEstimate } from "../../engine/measure/plan/estimate.ts";
import type { Plan } from "../../engine/measure/plan/plan.ts";
import { raceTimes } from "../../engine/measure/plan/timing.ts";
import { sum } from "../../engine/statistics.ts";
import type { LabPlan, SimulationPlan, SurveyPlan } from "./plan.ts";
import { tailMs } from "./tail/arrivals.ts";

/** How much of a plan is done already, where an interrupted run goes on. */
export interface Done {
  /** How many of the plan's groups, simulations and surveys are in the record: always the first ones. */
  readonly groups: number;
  readonly simulations: number;
  readonly surveys: number;
}

export const NOTHING_DONE: Done = { groups: 0, simulations: 0, surveys: 0 };

/** One seed where the scenario does not say, and a process of a survey, in ms. Neither has a clock to plan by. */
const SEED_ESTIMATE_MS = 20;
const SURVEY_ESTIMATE_MS = 1_500;

/** Simulations that run at once. */
export const LANES = availableParallelism();

/** How long the plan takes from where it is `done` to, in ms. */
export function planEstimateMs(plan: LabPlan, done: Done = NOTHING_DONE): number {
  return new TimeEstimate({ ...raceTimes(plan, done.groups), unracedMs: unracedMs(plan, done) }).leftMs();
}

/** What is left of a plan's simulations and surveys, in ms. */
export function unracedMs({ simulations, surveys, size }: LabPlan, done: Done) {
  const simulationMs = (planned: SimulationPlan) =>
    (planned.entries.length * simulationEstimateMs(planned, size)) / simulatedAtOnce(planned);
  const surveyMs = (planned: SurveyPlan) =>
    planned.forks * planned.entries.length * surveyEstimateMs(planned, size);
  return {
    simulations: sum(simulations.slice(done.simulations).map(simulationMs)),
    surveys: sum(surveys.slice(done.surveys).map(surveyMs)),
  };
}

/** How many of a simulation's competitors have a core each. */
export function simulatedAtOnce({ entries }: SimulationPlan): number {
  return Math.min(LANES, entries.length);
}

/** Of one competitor's cell, alone. */
export function simulationEstimateMs({ simulation, seeds }: SimulationPlan, size: Plan["size"]): number {
  const { secondsPerSeed } = simulation;
  return (
    seeds.length *
    (size === "smoke" || secondsPerSeed === undefined ? SEED_ESTIMATE_MS : 1000 * secondsPerSeed)
  );
}

/** Of one process of a survey. */
export function surveyEstimateMs({ survey }: SurveyPlan, size: Plan["size"]): number {
  if (survey.kind === "tail")
    return SURVEY_ESTIMATE_MS + tailMs({ intervalMs: survey.intervalUs / 1000, count: survey.count[size] });
  return SURVEY_ESTIMATE_MS + (size === "smoke" ? 0 : 1000 * (survey.secondsPerFork ?? 0));
}
