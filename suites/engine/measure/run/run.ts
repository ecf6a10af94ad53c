import { PlannedTime, TimeEstimate } from "../plan/estimate.ts";
import type { Plan } from "../plan/plan.ts";
import { raceTimes } from "../plan/timing.ts";
import { askFork } from "./process.ts";
import { raceAll } from "./race.ts";
import type { Needed, Running, RunObserver, Watched } from "./watched.ts";

/**
 * Races the groups of a plan, one process at a time: while a fork measures, this process sleeps. Stops at the next message
 * when `signal` aborts, killing the fork; what was finished has been handed to the observer by then. When it is overdue, it hands
 * over what the fork's group has shown so far.
 */
export async function run(
  plan: Plan,
  observer: RunObserver,
  signal: AbortSignal,
  { done = 0, needed = ALL_NEEDED, replan, ask = askFork, overdue, withPrograms, unraced }: Running = {},
): Promise<void> {
  const times = raceTimes(plan, done);
  const estimate = new TimeEstimate({ ...times, unracedMs: unraced?.plannedMs ?? {} });
  let isKnown = false;
  const clock = new PlannedTime(observer, () => (isKnown ? estimate.leftMs() : undefined));
  const announce = () => {
    if (signal.aborted) return;
    const wholeMs = estimate.announcement(clock.elapsedMs);
    if (wholeMs !== undefined) observer.announced?.(wholeMs, isKnown);
    isKnown = true;
  };
  const ending = overdue === undefined ? signal : AbortSignal.any([signal, overdue]);
  const watched: Watched = { clock, estimate, announce, observer, signal, ending, needed, replan, ask };
  await raceAll(plan, done, watched, withPrograms);
  await unraced?.carryOut(watched);
}

/** As long as there are forks to run, every row needs them. */
const ALL_NEEDED: Needed = ({ crews }) => new Set(crews.map(({ name }) => name));
