import { availableParallelism } from "node:os";
import { sum } from "../../statistics.ts";
import { tailMs } from "../plan/arrivals.ts";
import { Estimate, type GroupTimes, type RunTimes, sharesOf } from "../plan/estimate.ts";
import type { GroupPlan, Plan, SimulationPlan, SurveyPlan } from "../plan/plan.ts";
import type { Failure } from "../plan/protocol.ts";
import { forkEstimateMs, weightOf } from "../plan/timing.ts";

/** How much of a plan is done already, where an interrupted run goes on. */
export interface Done {
  /** How many of the plan's groups, simulations and surveys are in the record: always the first ones. */
  readonly groups: number;
  readonly simulations: number;
  readonly surveys: number;
}

export const NOTHING_DONE: Done = { groups: 0, simulations: 0, surveys: 0 };

/** How long the parts of a plan are planned to take, on a machine like the ones that the method was made on. */

/** One seed where the scenario does not say, and a process of a survey, in ms. Neither has a clock to plan by. */
const SEED_ESTIMATE_MS = 20;
const SURVEY_ESTIMATE_MS = 1_500;

/** Simulations that run at once. */
export const LANES = availableParallelism();

/** How long the plan takes from where it is `done` to, in ms. */
export function planEstimateMs(plan: Plan, done: Done = NOTHING_DONE): number {
  return new Estimate(timesOf(plan, done)).leftMs();
}

/** How long each group of a plan takes, in ms. */
export function groupSharesMs({ groups, budgetMs }: Pick<Plan, "groups" | "budgetMs">): number[] {
  return sharesOf(budgetMs, groups.map(groupTimes));
}

/** What is left of a plan from where it is `done` to. */
export function timesOf(plan: Plan, done: Done): RunTimes {
  const { budgetMs, groups, simulations, surveys, size } = plan;
  const simulationMs = (planned: SimulationPlan) =>
    (planned.entries.length * simulationEstimateMs(planned, size)) / simulatedAtOnce(planned);
  const surveyMs = (planned: SurveyPlan) =>
    planned.forks * planned.entries.length * surveyEstimateMs(planned, size);
  return {
    budgetMs: done.groups === 0 ? budgetMs : sum(groupSharesMs(plan).slice(done.groups)),
    groups: groups.slice(done.groups).map(groupTimes),
    unracedMs: {
      simulations: sum(simulations.slice(done.simulations).map(simulationMs)),
      surveys: sum(surveys.slice(done.surveys).map(surveyMs)),
    },
  };
}

/** How many of a simulation's competitors have a core each. */
export function simulatedAtOnce({ entries }: SimulationPlan): number {
  return Math.min(LANES, entries.length);
}

function groupTimes(group: GroupPlan): GroupTimes {
  const { forks } = group;
  const fewest = Math.min(group.fewestForks, forks);
  return { weight: weightOf(group), forkMs: forkEstimateMs(group), fewest, most: forks };
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

/** Part of the free memory that a fork may be expected to need: the estimate is one, and others run here too. */
const USABLE_MEMORY = 0.8;

/** Why a fork that needs `bytes` is not started, if it is better not. */
export function beyondMemory(bytes: number): Failure | undefined {
  const free = process.availableMemory();
  if (bytes <= USABLE_MEMORY * free) return undefined;
  const gigabytes = (value: number) => `${(value / 1e9).toFixed(1)} GB`;
  return {
    kind: "fault",
    reason: `not started: it may need ${gigabytes(bytes)}, and ${gigabytes(free)} of memory are free`,
  };
}
