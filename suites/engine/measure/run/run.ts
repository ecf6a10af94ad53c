import { availableParallelism } from "node:os";
import { Estimate } from "../plan/estimate.ts";
import { messageOf } from "../plan/failures.ts";
import {
  type CrewPlan,
  forkSeed,
  type GroupPlan,
  type Plan,
  runtimeOf,
  type SimulationPlan,
  type SurveyPlan,
} from "../plan/plan.ts";
import { PlannedTime, type ProgressObserver } from "../plan/planned-time.ts";
import type {
  CrewResult,
  Failure,
  Job,
  SimulatedCell,
  SurveyedCell,
  SurveyOutcome,
} from "../plan/protocol.ts";
import { FEWEST_FORKS, forkEstimateMs } from "../plan/timing.ts";
import { CoreChoice } from "./core-choice.ts";
import { Culprits } from "./culprit.ts";
import { LANES, simulatedAtOnce, simulationEstimateMs, surveyEstimateMs, timesOf } from "./pace.ts";
import { askFork, ReusedFork } from "./process.ts";
import { type Done, NOTHING_DONE } from "./resume.ts";
import { watchFork } from "./slow-fork.ts";
import { type Programs, withPrograms } from "./stripped.ts";

/** What a run saw, group by group in the order of the plan. */
export interface GroupResult {
  readonly plan: GroupPlan;
  readonly forks: readonly ForkResult[];
}

export interface ForkResult {
  readonly fork: number;
  /** Set when the whole process was lost; then it has no crews but the one that ended it, where that is known. */
  readonly failure?: Failure;
  readonly crews: readonly CrewResult[];
  readonly threads: number;
  readonly maxRssBytes: number;
  readonly pinned: boolean;
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
  /** The run is to take so long as a whole: known after its first piece, and again where that is longer than was said. */
  announced?(wholeMs: number, isLonger: boolean): void;
  /** Why forks of this group take longer to start: their threads strip the modules themselves. */
  unstripped?(group: string, reason: string): void;
  /** A fork of this group takes `times` as long as planned, and is not done yet. */
  slow?(group: string, times: number): void;
}

/** How a run is carried out. */
export interface Running {
  /** What is done already, and left out. */
  readonly done?: Done;
  readonly needed?: Needed;
  /** Has a fork do a job. */
  readonly ask?: typeof askFork;
}

/** What all parts of a run are timed and stopped by. */
interface Watched extends Required<Pick<Running, "needed" | "ask">> {
  readonly clock: PlannedTime;
  readonly estimate: Estimate;
  /** A piece has ended, so that more is known of how long the run takes. */
  readonly announce: () => void;
  readonly observer: RunObserver;
  readonly signal: AbortSignal;
}

/** Part of the free memory that a fork may be expected to need: the estimate is one, and others run here too. */
const USABLE_MEMORY = 0.8;

/**
 * Carries out a plan, one process at a time: while a fork measures, this process sleeps. Stops at the next message
 * when `signal` aborts, killing the fork; what was finished has been handed to the observer by then.
 */
export async function run(
  plan: Plan,
  observer: RunObserver,
  signal: AbortSignal,
  { done = NOTHING_DONE, needed = ALL_NEEDED, ask = askFork }: Running = {},
): Promise<void> {
  const estimate = new Estimate(timesOf(plan, done));
  let isKnown = false;
  const clock = new PlannedTime(observer, () => (isKnown ? estimate.leftMs() : undefined));
  const announce = () => {
    if (signal.aborted) return;
    const wholeMs = estimate.announcement(clock.elapsedMs);
    if (wholeMs !== undefined) observer.announced?.(wholeMs, isKnown);
    isKnown = true;
  };
  const watched: Watched = { clock, estimate, announce, observer, signal, needed, ask };
  const cores = new CoreChoice(availableParallelism());
  await withPrograms(async (programs) => {
    for (const [index, group] of plan.groups.entries()) {
      if (signal.aborted) return;
      // Skipped and not left out of the plan: a group's seeds come from its place there.
      if (index < done.groups) continue;
      const forks = await raceGroup(plan, index, group, cores, programs, watched);
      if (signal.aborted) return;
      estimate.raced();
      observer.raced({ plan: group, forks });
    }
  });
  const lanes = Array.from({ length: LANES }, () => new ReusedFork());
  try {
    for (const simulation of plan.simulations.slice(done.simulations)) {
      if (signal.aborted) return;
      const cells = await simulateAll(plan, simulation, lanes, watched);
      if (signal.aborted) return;
      observer.simulated({ plan: simulation, cells });
    }
  } finally {
    for (const lane of lanes) lane.end();
  }
  for (const [index, survey] of plan.surveys.entries()) {
    if (signal.aborted) return;
    if (index < done.surveys) continue;
    const cells = await surveyAll(plan, index, survey, watched);
    if (signal.aborted) return;
    observer.surveyed({ plan: survey, cells });
  }
}

/**
 * Races a group, process after process, until no row needs more, its time is up, or it has had the most forks that there
 * may be. A row that needs no more leaves; the baseline and its A/A controls stay as long as anybody does.
 */
async function raceGroup(
  { seed, size, patienceMs }: Plan,
  index: number,
  { race, ...group }: GroupPlan,
  cores: CoreChoice,
  programs: Programs,
  { clock, estimate, announce, observer, signal, needed, ask }: Watched,
): Promise<ForkResult[]> {
  const results: ForkResult[] = [];
  const plan = { ...group, race };
  let { crews } = group;
  const name = `${group.primitive}/${group.scenario} ${group.workers}w`;
  let program: string | undefined;
  try {
    program = programs.programFor(group);
  } catch (error) {
    observer.unstripped?.(name, messageOf(error));
  }
  let isToldSlow = false;
  const culprits = new Culprits();
  // A fork that was lost to a crew which is then left out is raced again.
  let again = 0;
  for (let fork = 0; fork - again < group.forks && !signal.aborted; fork++) {
    const tooMuch = beyondMemory(group.bytes);
    if (tooMuch !== undefined) {
      results.push(lostFork(fork, tooMuch));
      break;
    }
    const forkMs = forkEstimateMs({ ...group, crews });
    if (fork - again >= FEWEST_FORKS && !estimate.hasTimeFor(forkMs)) break;
    const begunMs = performance.now();
    const runtime = runtimeOf(crews[0]);
    const job: Job = {
      kind: "race",
      group: { ...group, crews },
      patienceMs,
      fork,
      ...cores.next(runtime),
      seed: forkSeed(seed, index, fork),
      size,
      program,
    };
    const expectedMs = estimate.forkMs(forkMs);
    const stretch = clock.begin(expectedMs, `${name}, fork ${fork + 1}`);
    const watch = watchFork({ plannedMs: forkMs, expectedMs }, (times) => {
      if (!isToldSlow) observer.slow?.(name, times);
      isToldSlow = true;
    });
    const progress = (share: number) => {
      stretch.within(share);
      watch.within(share);
    };
    const answer = await ask(job, { estimateMs: forkMs, progress, signal });
    watch.end();
    stretch.end();
    if (answer.kind === "raced") {
      const { kind: _, ...raced } = answer;
      results.push({ fork, ...raced });
      const alike = raced.crews.filter((_, index) => runtimeOf(job.group.crews[index]) === runtime);
      cores.hear(job.firstCore, alike, runtime);
    } else if (answer.kind === "lost") {
      const culprit = await culprits.find(job, answer, { estimateMs: forkMs, signal });
      if (culprit !== undefined) again++;
      results.push(lostFork(fork, answer.failure, culprit));
    }
    crews = stillRacing(crews, results, needed(plan, results));
    estimate.forked(forkMs, performance.now() - begunMs, answer.kind === "lost");
    announce();
    const hasRivals = (some: readonly CrewPlan[]) => some.some(({ kind }) => kind === "rival");
    const isRaced = results.some(({ failure }) => failure === undefined);
    if (isRaced && hasRivals(group.crews) && !hasRivals(crews)) break;
  }
  return results;
}

/** Says which rows of a group need more processes, by the names of their crews, after what has been raced of it. */
export type Needed = (plan: GroupPlan, forks: readonly ForkResult[]) => ReadonlySet<string>;

/** As long as there are forks to run, every row needs them. */
const ALL_NEEDED: Needed = ({ crews }) => new Set(crews.map(({ name }) => name));

/**
 * The crews of the next fork. One that has failed is not run again: a broken law settles the cell, and a hang would cost
 * its limit each time.
 */
function stillRacing(
  crews: readonly CrewPlan[],
  forks: readonly ForkResult[],
  needed: ReadonlySet<string>,
): readonly CrewPlan[] {
  const failed = new Set(
    forks.flatMap((fork) =>
      fork.crews.filter(({ failure }) => failure !== undefined).map(({ name }) => name),
    ),
  );
  return crews.filter(({ name, kind }) => !failed.has(name) && (kind !== "rival" || needed.has(name)));
}

function lostFork(fork: number, failure: Failure, culprit?: CrewResult): ForkResult {
  return {
    fork,
    failure,
    crews: culprit === undefined ? [] : [culprit],
    threads: 0,
    maxRssBytes: 0,
    pinned: false,
  };
}

/**
 * One competitor after the other in each process, as many processes as there are cores, because no clock is read. One
 * that dies or never ends loses its own cell only. The cells are in the order of the plan.
 */
async function simulateAll(
  { size }: Plan,
  planned: SimulationPlan,
  lanes: readonly ReusedFork[],
  { clock, estimate, announce, signal }: Watched,
): Promise<readonly SimulatedCell[]> {
  const { simulation: _, entries, ...scenario } = planned;
  const estimateMs = simulationEstimateMs(planned, size);
  const atOnce = simulatedAtOnce(planned);
  const cells = new Map<string, SimulatedCell>();
  const waiting = entries.values();
  const carryOut = async (lane: ReusedFork) => {
    for (const entry of waiting) {
      if (signal.aborted) return;
      const { name: competitor } = entry;
      const label = `${scenario.primitive}/${scenario.scenario}/${competitor}, simulated`;
      const job: Job = { kind: "simulation", scenario, entry, size };
      const begunMs = performance.now();
      const stretch = clock.begin(estimateMs / atOnce, label);
      const answer = await lane.ask(job, { estimateMs, progress: stretch.within, signal });
      stretch.end();
      estimate.ended("simulations", estimateMs, performance.now() - begunMs, atOnce);
      announce();
      if (answer.kind === "simulated") cells.set(competitor, answer.cell);
      else if (answer.kind === "lost") {
        cells.set(competitor, { competitor, failure: answer.failure, samples: [], series: {} });
      }
    }
  };
  await Promise.all(lanes.map(carryOut));
  return entries.flatMap(({ name }) => cells.get(name) ?? []);
}

/**
 * One process after the other, so that each has the machine to itself, and competitor after competitor before any has
 * its second turn, so that host noise falls on all.
 */
async function surveyAll(
  { seed, size }: Plan,
  index: number,
  planned: SurveyPlan,
  { clock, estimate, announce, signal, ask }: Watched,
): Promise<readonly SurveyedCell[]> {
  const { survey: _, entries, ...scenario } = planned;
  const estimateMs = surveyEstimateMs(planned, size);
  const seen = new Map<string, SurveyOutcome[]>(entries.map(({ name }) => [name, []]));
  const failures = new Map<string, Failure>();
  for (let fork = 0; fork < scenario.forks; fork++) {
    for (const entry of entries) {
      if (signal.aborted) return [];
      const tooMuch = beyondMemory(scenario.bytes);
      if (tooMuch !== undefined) failures.set(entry.name, failures.get(entry.name) ?? tooMuch);
      if (failures.has(entry.name)) {
        estimate.ended("surveys", estimateMs, 0);
        continue;
      }
      const name = `${scenario.primitive}/${scenario.scenario}/${entry.name}`;
      const label = `${name}, surveyed ${fork + 1} of ${scenario.forks}`;
      const job: Job = { kind: "survey", scenario, entry, seed: forkSeed(seed, index, fork), size };
      const begunMs = performance.now();
      const stretch = clock.begin(estimateMs, label);
      const answer = await ask(job, { estimateMs, progress: stretch.within, signal }, planned.host?.start);
      stretch.end();
      estimate.ended("surveys", estimateMs, performance.now() - begunMs);
      announce();
      if (answer.kind === "lost") failures.set(entry.name, answer.failure);
      if (answer.kind !== "surveyed") continue;
      const { failure } = answer.outcome;
      if (failure === undefined) seen.get(entry.name)!.push(answer.outcome);
      else failures.set(entry.name, failure);
    }
  }
  return entries.map(({ name }): SurveyedCell => {
    const failure = failures.get(name);
    const outcomes = seen.get(name)!;
    const curves = outcomes.flatMap((outcome) => outcome.curves ?? []);
    const series = outcomes[0]?.series;
    return {
      competitor: name,
      ...(failure === undefined ? {} : { failure }),
      forks: outcomes.map(({ metrics }) => metrics),
      ...(curves.length === 0 ? {} : { curves }),
      ...(series === undefined ? {} : { series }),
    };
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
