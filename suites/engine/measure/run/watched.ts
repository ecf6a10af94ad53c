import type { Estimate } from "../plan/estimate.ts";
import type { GroupPlan, SimulationPlan, SurveyPlan } from "../plan/plan.ts";
import type { PlannedTime, ProgressObserver } from "../plan/planned-time.ts";
import type { CrewResult, Failure, SimulatedCell, SurveyedCell } from "../plan/protocol.ts";
import type { Done } from "./pace.ts";
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
  /** What is done already, and left out. */
  readonly done?: Done;
  readonly needed?: Needed;
  /** Has a fork do a job. */
  readonly ask?: typeof askFork;
  /** Ends racing at once when aborted: what has been raced by then counts. */
  readonly overdue?: AbortSignal | undefined;
}

/** Says which rows of a group need more processes, by the names of their crews, after what has been raced of it. */
export type Needed = (plan: GroupPlan, forks: readonly ForkResult[]) => ReadonlySet<string>;

/** What all parts of a run are timed and stopped by. */
export interface Watched extends Required<Pick<Running, "needed" | "ask">> {
  readonly clock: PlannedTime;
  readonly estimate: Estimate;
  /** A piece has ended, so that more is known of how long the run takes. */
  readonly announce: () => void;
  readonly observer: RunObserver;
  readonly signal: AbortSignal;
  /** Aborted with `signal`, or when the run is overdue. */
  readonly ending: AbortSignal;
}
