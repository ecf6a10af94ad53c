import { availableParallelism } from "node:os";
import { type Done, NOTHING_DONE } from "../record/resume.ts";
import {
  forkEstimateMs,
  forkSeed,
  type GroupPlan,
  type Plan,
  type SimulationPlan,
  type SurveyPlan,
} from "./plan.ts";
import { PlannedTime, type ProgressObserver } from "./planned-time.ts";
import { askFork } from "./process.ts";
import type { CrewResult, Failure, Job, SimulatedCell, SurveyedCell } from "./protocol.ts";

/** What a run saw, group by group in the order of the plan. */
export interface GroupResult {
  readonly plan: GroupPlan;
  readonly forks: readonly ForkResult[];
}

export interface ForkResult {
  readonly fork: number;
  /** Set when the whole process was lost; then no crew has samples from it. */
  readonly failure?: Failure;
  readonly crews: readonly CrewResult[];
  readonly threads: number;
  readonly maxRssBytes: number;
}

export interface SimulationResult {
  readonly plan: SimulationPlan;
  readonly cells: readonly SimulatedCell[];
}

export interface SurveyResult {
  readonly plan: SurveyPlan;
  readonly cells: readonly SurveyedCell[];
}

export interface RunObserver extends ProgressObserver {
  raced(result: GroupResult): void;
  simulated(result: SimulationResult): void;
  surveyed(result: SurveyResult): void;
}

/**
 * A process to simulate in, and one seed where the scenario does not say. A simulation has no clock to plan by; these
 * are for the progress line only.
 */
const SIMULATOR_ESTIMATE_MS = 400;
const SEED_ESTIMATE_MS = 100;
/** Nor does a survey know beforehand how long it takes. */
const SURVEY_ESTIMATE_MS = 1_500;
/** Part of the free memory that a fork may be expected to need: the estimate is one, and others run here too. */
const USABLE_MEMORY = 0.8;
/** Simulations that run at once. */
const LANES = availableParallelism();

/**
 * Carries out a plan, one process at a time: while a fork measures, this process sleeps. Stops at the next message
 * when `signal` aborts, killing the fork; what was finished has been handed to the observer by then. What is `done`
 * already is left out.
 */
export async function run(
  plan: Plan,
  observer: RunObserver,
  signal: AbortSignal,
  done: Done = NOTHING_DONE,
): Promise<void> {
  const clock = new PlannedTime(planEstimateMs(plan, done), observer);
  for (const [index, group] of plan.groups.entries()) {
    if (signal.aborted) return;
    // Skipped and not left out of the plan: a group's seeds come from its place there.
    if (index < done.groups) continue;
    const forks = await raceGroup(plan, index, group, clock, signal);
    if (signal.aborted) return;
    observer.raced({ plan: group, forks });
  }
  for (const simulation of plan.simulations.slice(done.simulations)) {
    if (signal.aborted) return;
    const cells = await simulateAll(plan, simulation, clock, signal);
    if (signal.aborted) return;
    observer.simulated({ plan: simulation, cells });
  }
  for (const [index, survey] of plan.surveys.entries()) {
    if (signal.aborted) return;
    if (index < done.surveys) continue;
    const cells = await surveyAll(plan, index, survey, clock, signal);
    if (signal.aborted) return;
    observer.surveyed({ plan: survey, cells });
  }
}

/** How long the plan takes from where it is `done` to, in ms, as far as can be known beforehand. */
export function planEstimateMs(
  { size, groups, simulations, surveys }: Plan,
  done: Done = NOTHING_DONE,
): number {
  const racing = groups
    .slice(done.groups)
    .reduce((sum, group) => sum + group.forks * forkEstimateMs(group), 0);
  const simulated = simulations
    .slice(done.simulations)
    .reduce((sum, planned) => sum + planned.entries.length * simulationEstimateMs(planned, size), 0);
  const surveyed = surveys
    .slice(done.surveys)
    .reduce((sum, { entries, forks }) => sum + entries.length * forks, 0);
  return racing + simulated + surveyed * SURVEY_ESTIMATE_MS;
}

/** Of one competitor's cell, while others are simulated beside it. */
function simulationEstimateMs({ simulation, seeds }: SimulationPlan, size: Plan["size"]): number {
  const { secondsPerSeed } = simulation;
  const seedMs = size === "smoke" || secondsPerSeed === undefined ? SEED_ESTIMATE_MS : 1000 * secondsPerSeed;
  return (SIMULATOR_ESTIMATE_MS + seeds.length * seedMs) / LANES;
}

async function raceGroup(
  { seed, size, patienceMs }: Plan,
  index: number,
  { race, ...group }: GroupPlan,
  clock: PlannedTime,
  signal: AbortSignal,
): Promise<ForkResult[]> {
  const results: ForkResult[] = [];
  // A crew that has failed is not run again: one broken law settles the cell, and a hang would cost its limit each time.
  let crews = group.crews;
  for (let fork = 0; fork < group.forks && !signal.aborted; fork++) {
    const tooMuch = beyondMemory(group.bytes);
    if (tooMuch !== undefined) {
      clock.skip(forkEstimateMs({ ...group, crews, race }));
      results.push({ fork, failure: tooMuch, crews: [], threads: 0, maxRssBytes: 0 });
      continue;
    }
    const job: Job = {
      kind: "race",
      group: { ...group, crews },
      patienceMs,
      fork,
      seed: forkSeed(seed, index, fork),
      size,
    };
    const label = `${group.primitive}/${group.scenario} ${group.workers}w, fork ${fork + 1} of ${group.forks}`;
    const answer = await askFork(job, forkEstimateMs({ ...group, crews, race }), label, clock, signal);
    if (answer.kind === "raced") {
      const failed = new Set(
        answer.crews.filter(({ failure }) => failure !== undefined).map(({ name }) => name),
      );
      crews = crews.filter(({ name }) => !failed.has(name));
      results.push({ fork, crews: answer.crews, threads: answer.threads, maxRssBytes: answer.maxRssBytes });
    } else if (answer.kind === "lost") {
      results.push({ fork, failure: answer.failure, crews: [], threads: 0, maxRssBytes: 0 });
    }
  }
  return results;
}

/**
 * One process for each competitor, so that one that dies or never ends takes no other with it; as many at once as
 * there are cores, because no clock is read. Their cells are in the order of the plan.
 */
async function simulateAll(
  { size }: Plan,
  planned: SimulationPlan,
  clock: PlannedTime,
  signal: AbortSignal,
): Promise<readonly SimulatedCell[]> {
  const { simulation: _, entries, ...scenario } = planned;
  const estimateMs = simulationEstimateMs(planned, size);
  const cells = new Map<string, SimulatedCell>();
  const waiting = entries.values();
  const lane = async () => {
    for (const entry of waiting) {
      if (signal.aborted) return;
      const { name: competitor } = entry;
      const label = `${scenario.primitive}/${scenario.scenario}/${competitor}, simulated`;
      const job: Job = { kind: "simulation", scenario, entry, size };
      const answer = await askFork(job, estimateMs, label, clock, signal);
      if (answer.kind === "simulated") cells.set(competitor, answer.cell);
      else if (answer.kind === "lost") {
        cells.set(competitor, { competitor, failure: answer.failure, samples: [], series: {} });
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return entries.flatMap(({ name }) => cells.get(name) ?? []);
}

/**
 * One process after the other, so that each has the machine to itself, and competitor after competitor before any has
 * its second turn, so that the machine's weather falls on all.
 */
async function surveyAll(
  { seed, size }: Plan,
  index: number,
  { survey: _, entries, ...scenario }: SurveyPlan,
  clock: PlannedTime,
  signal: AbortSignal,
): Promise<readonly SurveyedCell[]> {
  const seen = new Map<string, Record<string, number>[]>(entries.map(({ name }) => [name, []]));
  const failures = new Map<string, Failure>();
  for (let fork = 0; fork < scenario.forks; fork++) {
    for (const entry of entries) {
      if (signal.aborted) return [];
      if (failures.has(entry.name)) continue;
      const tooMuch = beyondMemory(scenario.bytes);
      if (tooMuch !== undefined) {
        clock.skip(SURVEY_ESTIMATE_MS);
        failures.set(entry.name, tooMuch);
        continue;
      }
      const name = `${scenario.primitive}/${scenario.scenario}/${entry.name}`;
      const label = `${name}, surveyed ${fork + 1} of ${scenario.forks}`;
      const job: Job = { kind: "survey", scenario, entry, seed: forkSeed(seed, index, fork), size };
      const answer = await askFork(job, SURVEY_ESTIMATE_MS, label, clock, signal);
      if (answer.kind === "lost") failures.set(entry.name, answer.failure);
      if (answer.kind !== "surveyed") continue;
      const { failure, metrics } = answer.outcome;
      if (failure === undefined) seen.get(entry.name)!.push({ ...metrics });
      else failures.set(entry.name, failure);
    }
  }
  return entries.map(({ name }): SurveyedCell => {
    const failure = failures.get(name);
    return { competitor: name, ...(failure === undefined ? {} : { failure }), forks: seen.get(name)! };
  });
}

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
