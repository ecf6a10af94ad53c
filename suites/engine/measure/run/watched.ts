import type { PlannedTime, ProgressObserver, TimeEstimate } from "../plan/estimate.ts";
import type { GroupPlan } from "../plan/plan.ts";
import type { CrewResult, Failure } from "../plan/protocol.ts";
import type { askFork } from "./process.ts";

/** What a run saw, group by group in the order of the plan. */
export interface GroupResult {
  readonly plan: GroupPlan;
  readonly forks: readonly ForkResult[];
}

export interface ForkResult {
  readonly fork: number;
  /** Set when the whole process was lost. Then it has no crews but the one that ended it, where that is known. */
  readonly failure?: Failure;
  readonly crews: readonly CrewResult[];
  readonly threads: number;
  readonly maxRssBytes: number;
  readonly pinned: boolean;
}

export interface RunObserver extends ProgressObserver {
  raced(result: GroupResult): void;
  /**
   * The run is expected to take this long as a whole: known after its first piece, and again where that is longer than
   * was said.
   */
  announced?(wholeMs: number, isLonger: boolean): void;
  /** Why forks of this group take longer to start: their threads strip the modules themselves. */
  unstripped?(group: string, reason: string): void;
  /** A fork of this group takes `times` as long as planned, and is not done yet. */
  slow?(group: string, times: number): void;
}

/** How a run is carried out. */
export interface Running {
  /** How many of the plan's groups are raced already, and left out. */
  readonly done?: number;
  readonly needed?: Needed;
  /** Plans a group anew when it has had its fewest processes; as it was if absent. */
  readonly replan?: Replan;
  /** Has a fork do a job. */
  readonly ask?: typeof askFork;
  /** Ends racing at once when aborted: what has been raced by then counts. */
  readonly overdue?: AbortSignal | undefined;
  /** Lends programs with the modules of groups; each thread imports its own if absent. */
  readonly withPrograms?: WithPrograms;
  /** What follows the races. */
  readonly unraced?: Unraced;
}

/** What a run does that is no race. */
export interface Unraced {
  /** How long it is planned to take, in ms, by kind. */
  readonly plannedMs: Readonly<Record<string, number>>;
  carryOut(watched: Watched): Promise<void>;
}

export interface Programs {
  /** Writes the program of a group and returns its URL, or undefined where it needs none. Throws where it cannot be written. */
  programFor(group: Pick<GroupPlan, "moduleUrl" | "crews">, lab?: string): string | undefined;
}

/** How work gets its programs. */
export type WithPrograms = <T>(work: (programs: Programs) => Promise<T>) => Promise<T>;

/** Says which rows of a group need more processes, by the names of their crews. It races on, whole, while there is one. */
export type Needed = (plan: GroupPlan, forks: readonly ForkResult[]) => ReadonlySet<string>;

/** The group as its next processes are to race it, by what was `seen`, and by what a process and a round took, in ms. */
export type Replan = (
  group: GroupPlan,
  seen: readonly ForkResult[],
  processMs: number,
  roundMs: number,
) => GroupPlan;

/** What all parts of a run are timed and stopped by. */
export interface Watched extends Required<Pick<Running, "needed" | "ask">> {
  readonly replan: Replan | undefined;
  readonly clock: PlannedTime;
  readonly estimate: TimeEstimate;
  /** A piece has ended, so that more is known of how long the run takes. */
  readonly announce: () => void;
  readonly observer: RunObserver;
  readonly signal: AbortSignal;
  /** Aborted with `signal`, or when the run is overdue. */
  readonly ending: AbortSignal;
}

/** A fork is slow if it takes this multiple of its expected time, and enough seconds more that a person would notice. */
const SLOW_TIMES = 2;
const NOTICEABLE_MS = 5_000;

/**
 * Watches one fork. Calls `report` once, while the fork still runs, if it is slow, with how many times as long as planned
 * it takes. One timer, and nothing else, so that the process sleeps while the fork measures. What is expected may be
 * more than was planned, since a run that goes slowly as a whole is reported once.
 */
export function watchFork(
  { plannedMs, expectedMs }: { readonly plannedMs: number; readonly expectedMs: number },
  report: (times: number) => void,
) {
  const slowMs = Math.max(SLOW_TIMES * expectedMs, expectedMs + NOTICEABLE_MS);
  let share = 1;
  const timer = setTimeout(() => report(slowMs / share / plannedMs), slowMs);
  return {
    /** The part of the fork that is done. */
    within(done: number): void {
      if (done > 0) share = Math.min(1, done);
    },
    end: () => clearTimeout(timer),
  };
}
