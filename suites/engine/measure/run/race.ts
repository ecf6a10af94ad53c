import { availableParallelism } from "node:os";
import { beyondMemory, messageOf } from "../plan/failures.ts";
import { type CrewPlan, forkSeed, type GroupPlan, type Plan, runtimeOf } from "../plan/plan.ts";
import type { CrewResult, Failure, RaceJob } from "../plan/protocol.ts";
import { forkEstimateMs, roundEstimateMs } from "../plan/timing.ts";
import { CoreChoice } from "./core-choice.ts";
import { Culprits } from "./culprit.ts";
import type { ForkResult, Programs, Watched, WithPrograms } from "./watched.ts";
import { watchFork } from "./watched.ts";

const withoutPrograms: WithPrograms = (work) => work({ programFor: () => undefined });

/** Races the groups of a plan, one after the other, from the first that is not `done` on. */
export async function raceAll(
  plan: Plan,
  done: number,
  watched: Watched,
  withPrograms: WithPrograms = withoutPrograms,
): Promise<void> {
  const { estimate, observer, signal, ending } = watched;
  const cores = new CoreChoice(availableParallelism());
  await withPrograms(async (programs) => {
    for (const [index, group] of plan.groups.entries()) {
      if (ending.aborted) return;
      // Skipped here and not left out of the plan: a group's seeds come from its place there.
      if (index < done) continue;
      const forks = await raceGroup(index, group, { plan, cores, programs, watched });
      if (signal.aborted || forks.length === 0) return;
      estimate.raced();
      observer.raced({ plan: group, forks });
    }
  });
}

/** What the groups of a run have in common. */
interface RaceRun {
  readonly plan: Plan;
  readonly cores: CoreChoice;
  readonly programs: Programs;
  readonly watched: Watched;
}

/**
 * Races a group, process after process, until no row needs more, its time is up, or it has had the most forks that are
 * allowed. A row that needs no more races on with the others: its baseline may cost another sum in smaller company, and all
 * figures of a table are to be of the same processes. Returns what has been raced where the run is `ending`.
 */
async function raceGroup(index: number, group: GroupPlan, run: RaceRun): Promise<ForkResult[]> {
  const { estimate, announce, ending, needed, replan } = run.watched;
  const ask = groupAsker(index, group, run);
  const results: ForkResult[] = [];
  const culprits = new Culprits();
  let { crews } = group;
  let timed = group;
  // A fork that was lost to a crew which is then left out is raced again.
  let again = 0;
  for (let fork = 0; fork - again < group.forks && !ending.aborted; fork++) {
    const tooMuch = beyondMemory(group.bytes);
    if (tooMuch !== undefined) return [...results, lostFork(fork, tooMuch)];
    const forkMs = forkEstimateMs({ ...timed, crews });
    if (fork - again >= group.fewestForks && !estimate.hasTimeFor(forkMs)) break;
    const begunMs = performance.now();
    const { job, answer } = await ask(fork, { ...timed, crews }, forkMs);
    if (answer.kind === "lost" && ending.aborted) break;
    if (answer.kind === "raced") {
      const { kind: _, ...raced } = answer;
      results.push({ fork, ...raced });
    } else if (answer.kind === "lost") {
      const culprit = await culprits.find(job, answer, { estimateMs: forkMs, signal: ending });
      if (culprit !== undefined) again++;
      results.push(lostFork(fork, answer.failure, culprit));
    }
    const needing = needed(group, results);
    crews = withoutFailed(crews, results);
    estimate.forked(forkMs, performance.now() - begunMs, answer.kind === "lost");
    if (replan !== undefined && results.length === group.fewestForks)
      timed = replan(group, results, estimate.forkMs(forkMs), roundEstimateMs({ ...group, crews }));
    announce();
    const isRaced = results.some(({ failure }) => failure === undefined);
    const isOpen = hasRivals(crews) && crews.some(({ name }) => needing.has(name));
    if (isRaced && hasRivals(group.crews) && !isOpen) break;
  }
  return results;
}

/** Has forks race a group: each on the cores whose turn it is, and watched by the clock of the run. */
function groupAsker(index: number, whole: GroupPlan, { plan, cores, programs, watched }: RaceRun) {
  const { lab, seed, size, patienceMs, cwd, confinedTo } = plan;
  const { clock, estimate, observer, ending, ask } = watched;
  const name = `${whole.primitive}/${whole.scenario} ${whole.workers}w`;
  let program: string | undefined;
  try {
    program = programs.programFor(whole, lab);
  } catch (error) {
    observer.unstripped?.(name, messageOf(error));
  }
  let isReportedSlow = false;
  return async (fork: number, { race: _, ...group }: GroupPlan, forkMs: number) => {
    const { crews } = group;
    const runtime = runtimeOf(crews[0]);
    const at = { fork, ...cores.next(runtime), seed: forkSeed(seed, index, fork) };
    const where = { lab, cwd, confinedTo, program };
    const job: RaceJob = { kind: "race", group, patienceMs, size, ...at, ...where };
    const expectedMs = estimate.forkMs(forkMs);
    const stretch = clock.begin(expectedMs, `${name}, fork ${fork + 1}`);
    const watch = watchFork({ plannedMs: forkMs, expectedMs }, (times) => {
      if (!isReportedSlow) observer.slow?.(name, times);
      isReportedSlow = true;
    });
    const progress = (share: number) => {
      stretch.within(share);
      watch.within(share);
    };
    const answer = await ask(job, { estimateMs: forkMs, progress, signal: ending });
    watch.end();
    stretch.end();
    if (answer.kind === "raced") {
      const alike = answer.crews.filter((_, crew) => runtimeOf(crews[crew]) === runtime);
      cores.hear(job.firstCore, alike, runtime);
    }
    return { job, answer };
  };
}

function hasRivals(crews: readonly CrewPlan[]): boolean {
  return crews.some(({ kind }) => kind === "rival");
}

/**
 * The crews of the next fork. One that has failed is not run again: a broken law settles the cell, and a hang would cost
 * its limit each time.
 */
function withoutFailed(crews: readonly CrewPlan[], forks: readonly ForkResult[]): readonly CrewPlan[] {
  const failed = new Set(
    forks.flatMap((fork) =>
      fork.crews.filter(({ failure }) => failure !== undefined).map(({ name }) => name),
    ),
  );
  return crews.filter(({ name }) => !failed.has(name));
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
