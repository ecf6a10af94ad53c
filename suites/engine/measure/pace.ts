import { availableParallelism } from "node:os";
import { tailMs } from "./arrivals.ts";
import {
  cellName,
  FEWEST_FORKS,
  forkEstimateMs,
  type GroupPlan,
  type Plan,
  type SimulationPlan,
  type SurveyPlan,
  weightOf,
} from "./plan.ts";
import { type Done, NOTHING_DONE } from "./resume.ts";

/**
 * How long a plan takes. A plan knows how long its slices are, but not how soon its rows are decided, nor how fast this
 * machine starts threads and simulates: earlier runs on it tell that, and the run itself tells how it goes today. Pure:
 * nothing that is measured depends on it.
 */

/** What earlier runs on a machine took. */
export interface Paces {
  /** By `groupKey`. */
  readonly groups: Readonly<Record<string, GroupPace>>;
  /** What one competitor took, in ms, by `cellKey`: all its seeds, and one process of it. */
  readonly simulations: Readonly<Record<string, number>>;
  readonly surveys: Readonly<Record<string, number>>;
}

export interface GroupPace {
  /** By how much longer its forks took than they were planned to, as a factor. */
  readonly factor: number;
  /**
   * After how many forks all rows were decided, each counted as the part that its planned time was of a fork's with all
   * crews; absent where the time was up before that.
   */
  readonly forks?: number;
}

export const NO_PACES: Paces = { groups: {}, simulations: {}, surveys: {} };

/** So many of each kind are kept, the newest: candidates and revisions come and go. */
const MOST_KEPT = 1_000;

/**
 * A process to simulate in, one seed where the scenario does not say, and a process of a survey, in ms. Neither has a
 * clock to plan by.
 */
const SIMULATOR_ESTIMATE_MS = 400;
const SEED_ESTIMATE_MS = 100;
const SURVEY_ESTIMATE_MS = 1_500;

/** Simulations that run at once. */
export const LANES = availableParallelism();

/** How long the plan takes from where it is `done` to, in ms, as far as can be known beforehand. */
export function planEstimateMs(plan: Plan, done: Done = NOTHING_DONE, paces = NO_PACES): number {
  return new Pace(plan, done, paces).leftMs();
}

/**
 * How long a group takes that may take so long: no longer than all its forks, no shorter than the fewest. If `raced` of
 * them are behind it, what is left.
 */
export function groupEstimateMs(
  group: GroupPlan,
  allowedMs: number,
  forkMs = forkEstimateMs(group),
  raced = 0,
): number {
  const fewest = Math.max(0, Math.min(FEWEST_FORKS, group.forks) - raced);
  return Math.max(fewest * forkMs, Math.min(allowedMs, (group.forks - raced) * forkMs));
}

/** Of one competitor's cell, alone, as planned. */
export function simulationEstimateMs({ simulation, seeds }: SimulationPlan, size: Plan["size"]): number {
  const { secondsPerSeed } = simulation;
  const seedMs = size === "smoke" || secondsPerSeed === undefined ? SEED_ESTIMATE_MS : 1000 * secondsPerSeed;
  return SIMULATOR_ESTIMATE_MS + seeds.length * seedMs;
}

/** Of one process of a survey, as planned. */
export function surveyEstimateMs({ survey }: SurveyPlan, size: Plan["size"]): number {
  if (survey.kind === "tail")
    return SURVEY_ESTIMATE_MS + tailMs({ intervalMs: survey.intervalUs / 1000, count: survey.count[size] });
  return SURVEY_ESTIMATE_MS + (size === "smoke" ? 0 : 1000 * (survey.secondsPerFork ?? 0));
}

/** The part of a plan's budget that is for groups not yet done. */
export function budgetLeftMs({ groups, budgetMs }: Pick<Plan, "groups" | "budgetMs">, done: Done): number {
  const total = groups.reduce((sum, group) => sum + weightOf(group), 0);
  const left = groups.slice(done.groups).reduce((sum, group) => sum + weightOf(group), 0);
  return left === 0 ? 0 : (budgetMs * left) / total;
}

/** The part of what is left that is for the group at `index`, all before it being done. */
export function shareOf(groups: readonly GroupPlan[], index: number): number {
  const left = groups.slice(index).reduce((sum, group) => sum + weightOf(group), 0);
  return weightOf(groups[index]!) / left;
}

/** A run's groups in order, then its simulations, then its surveys: what each took, and what is left. */
export class Pace {
  readonly #plan: Plan;
  readonly #before: Paces;
  readonly #learned: {
    groups: Record<string, GroupPace>;
    simulations: Record<string, number>;
    surveys: Record<string, number>;
  } = { groups: {}, simulations: {}, surveys: {} };
  /** How much longer than expected all took that has ended in this run, kind by kind. */
  readonly #forks = new Going();
  readonly #simulations = new Going();
  readonly #surveys = new Going();
  readonly #done: { groups: number; simulations: number; surveys: number };
  #budgetMs: number;
  /** Of the group that is being raced. */
  #group = NOTHING_RACED;
  readonly #lanes: number;
  /** Processes of the survey that is being made. */
  #surveyed = 0;

  constructor(plan: Plan, done: Done, before: Paces, lanes = LANES) {
    this.#plan = plan;
    this.#lanes = lanes;
    this.#done = { ...done };
    this.#budgetMs = budgetLeftMs(plan, done);
    // A test's plan ends after so many rounds, whatever a real one takes.
    this.#before = plan.profile.exactly === undefined && plan.size === "full" ? before : NO_PACES;
  }

  /** What a fork of a group is expected to take on this machine, in ms, of which the plan says so much. */
  plannedForkMs(group: GroupPlan, estimateMs: number): number {
    return estimateMs * this.#factorOf(group);
  }

  /** The same, as it goes today. */
  forkMs(group: GroupPlan, estimateMs: number): number {
    return this.plannedForkMs(group, estimateMs) * this.#forks.factor;
  }

  /** Of one competitor, of a simulation or of one process of a survey. */
  simulationMs(planned: SimulationPlan, competitor: string): number {
    return this.#plannedSimulationMs(planned, competitor) * this.#simulations.factor;
  }

  surveyMs(planned: SurveyPlan, competitor: string): number {
    return this.#plannedSurveyMs(planned, competitor) * this.#surveys.factor;
  }

  /** Hears of a fork of the group whose turn it is, and which was planned to take so long. */
  forked(group: GroupPlan, estimateMs: number, tookMs: number): void {
    this.#forks.hear(this.plannedForkMs(group, estimateMs), tookMs);
    const { forks, plannedMs, tookMs: before } = this.#group;
    this.#group = {
      forks: forks + 1,
      plannedMs: plannedMs + estimateMs,
      tookMs: before + tookMs,
      lastPlannedMs: estimateMs,
    };
  }

  /** Hears that the group is done, which might have taken so long. `failed`: it lost forks, or was not raced. */
  raced(group: GroupPlan, allowedMs: number, failed: boolean): void {
    const { forks, plannedMs, tookMs, lastPlannedMs } = this.#group;
    if (!failed && forks > 0) {
      const key = groupKey(group, this.#plan.profile);
      const known = this.#before.groups[key];
      const factor = newest(known?.factor, tookMs / plannedMs);
      const raced = plannedMs / forkEstimateMs(group);
      const timeWasUp = tookMs + lastPlannedMs > allowedMs;
      const decided = timeWasUp ? beyond(known?.forks, raced) : newest(known?.forks, raced);
      this.#learned.groups[key] = { factor, ...(decided === undefined ? {} : { forks: decided }) };
    }
    this.#budgetMs = Math.max(0, this.#budgetMs - tookMs);
    this.#group = NOTHING_RACED;
    this.#done.groups++;
  }

  /** Hears of one competitor of the simulation whose turn it is. */
  simulated(planned: SimulationPlan, competitor: string, tookMs: number): void {
    this.#simulations.hear(this.#plannedSimulationMs(planned, competitor), tookMs);
    const key = cellKey(planned, competitor);
    this.#learned.simulations[key] = newest(this.#before.simulations[key], tookMs);
  }

  simulatedAll(): void {
    this.#done.simulations++;
  }

  /** Hears of one process of the survey whose turn it is. */
  surveyed(planned: SurveyPlan, competitor: string, tookMs: number): void {
    this.#surveys.hear(this.#plannedSurveyMs(planned, competitor), tookMs);
    const key = cellKey(planned, competitor);
    this.#learned.surveys[key] = newest(this.#before.surveys[key], tookMs);
    this.#surveyed++;
  }

  surveyedAll(): void {
    this.#surveyed = 0;
    this.#done.surveys++;
  }

  /** How long the rest takes, in ms. */
  leftMs(): number {
    const { groups, simulations, surveys } = this.#plan;
    return (
      this.#racingLeftMs(groups) +
      sum(simulations.slice(this.#done.simulations).map((planned) => this.#simulationLeftMs(planned))) +
      sum(surveys.slice(this.#done.surveys).map((planned, index) => this.#surveyLeftMs(planned, index)))
    );
  }

  /** What is known after this run. One that was disturbed tells of a busy machine: it adds what nobody knew. */
  learned(isDisturbed: boolean): Paces {
    const { exactly } = this.#plan.profile;
    if (exactly !== undefined || this.#plan.size !== "full") return this.#before;
    const both = <Value>(
      before: Readonly<Record<string, Value>>,
      now: Readonly<Record<string, Value>>,
    ): Record<string, Value> => {
      const older = Object.entries(before).filter(([key]) => isDisturbed || !Object.hasOwn(now, key));
      const newer = Object.entries(now).filter(([key]) => !isDisturbed || !Object.hasOwn(before, key));
      return Object.fromEntries([...older, ...newer].slice(-MOST_KEPT));
    };
    return {
      groups: both(this.#before.groups, this.#learned.groups),
      simulations: both(this.#before.simulations, this.#learned.simulations),
      surveys: both(this.#before.surveys, this.#learned.surveys),
    };
  }

  #racingLeftMs(groups: readonly GroupPlan[]): number {
    let budgetMs = this.#budgetMs;
    let leftMs = 0;
    for (const [index, group] of groups.entries()) {
      if (index < this.#done.groups) continue;
      const raced = index === this.#done.groups ? this.#group : NOTHING_RACED;
      const groupMs = this.#groupLeftMs(group, budgetMs * shareOf(groups, index), raced);
      budgetMs = Math.max(0, budgetMs - raced.tookMs - groupMs);
      leftMs += groupMs;
    }
    return leftMs;
  }

  #groupLeftMs(group: GroupPlan, allowedMs: number, raced: typeof NOTHING_RACED): number {
    const plannedMs = forkEstimateMs(group);
    const forkMs = this.forkMs(group, plannedMs);
    const mostMs = groupEstimateMs(group, Math.max(0, allowedMs - raced.tookMs), forkMs, raced.forks);
    const { forks } = this.#before.groups[groupKey(group, this.#plan.profile)] ?? {};
    if (forks === undefined) return mostMs;
    return Math.min(mostMs, Math.max(0, forks - raced.plannedMs / plannedMs) * forkMs);
  }

  /** Of a group that was never raced here, what is usual at so many workers; without that, as planned. */
  #factorOf(group: GroupPlan): number {
    const known = this.#before.groups[groupKey(group, this.#plan.profile)];
    if (known !== undefined) return known.factor;
    const alike = Object.entries(this.#before.groups).filter(([key]) =>
      key.split(" ")[0]!.endsWith(`/${group.workers}w`),
    );
    const factors = alike.map(([, { factor }]) => factor).sort((a, b) => a - b);
    return factors[Math.floor(factors.length / 2)] ?? 1;
  }

  #plannedSimulationMs(planned: SimulationPlan, competitor: string): number {
    return (
      this.#before.simulations[cellKey(planned, competitor)] ?? simulationEstimateMs(planned, this.#plan.size)
    );
  }

  #plannedSurveyMs(planned: SurveyPlan, competitor: string): number {
    return this.#before.surveys[cellKey(planned, competitor)] ?? surveyEstimateMs(planned, this.#plan.size);
  }

  /** As they are dealt to lanes: each to the one that is free first. */
  #simulationLeftMs(planned: SimulationPlan): number {
    const lanes = new Array<number>(this.#lanes).fill(0);
    for (const { name } of planned.entries) {
      const free = lanes.indexOf(Math.min(...lanes));
      lanes[free]! += this.simulationMs(planned, name);
    }
    return Math.max(...lanes);
  }

  /** `index`: how many surveys are before it, of those that are left. */
  #surveyLeftMs(planned: SurveyPlan, index: number): number {
    const turns = Array.from({ length: planned.forks }, () => planned.entries).flat();
    return sum(turns.slice(index === 0 ? this.#surveyed : 0).map(({ name }) => this.surveyMs(planned, name)));
  }
}

const NOTHING_RACED = { forks: 0, plannedMs: 0, tookMs: 0, lastPlannedMs: 0 };

/** Until so much has been seen of a run, what was expected counts as well; in ms. */
const EXPECTED_MS = 2_000;

/** How a run goes: how much longer its parts take than expected, as a factor. */
class Going {
  #expectedMs = EXPECTED_MS;
  #tookMs = EXPECTED_MS;

  get factor(): number {
    return this.#tookMs / this.#expectedMs;
  }

  hear(expectedMs: number, tookMs: number): void {
    this.#expectedMs += expectedMs;
    this.#tookMs += tookMs;
  }
}

/** Two runs are alike, and the last one is of today. */
function newest(before: number | undefined, now: number): number {
  return before === undefined ? now : (before + now) / 2;
}

/** What was known, unless it took more this time. */
function beyond(before: number | undefined, now: number): number | undefined {
  return before !== undefined && before > now ? before : undefined;
}

/** `pick/uniform-8/cas-ring/2w standard 0.03`: its first rival, since a scenario may have several groups. */
export function groupKey(
  { primitive, scenario, workers, crews }: GroupPlan,
  { name, precision }: Plan["profile"],
): string {
  const first = crews.find(({ kind }) => kind === "rival") ?? crews[0]!;
  return `${cellName(primitive, scenario, first.name, workers)} ${name} ${precision}`;
}

export function cellKey(
  { primitive, scenario }: Pick<SurveyPlan, "primitive" | "scenario">,
  competitor: string,
): string {
  return `${primitive}/${scenario}/${competitor}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
