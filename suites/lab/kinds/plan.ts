import type { Absence, Plan, RemotePlan } from "../../engine/measure/plan/plan.ts";
import type { Entry, Start } from "../../engine/race.ts";
import type { RacedRuntime } from "../../engine/schema/verdict.ts";
import type { Overview, Simulation, Survey, Tail } from "../../shared/vocabulary.ts";
import type { HeldCounters } from "../runtimes/held-bytes.ts";

/** What a run of the lab visits: races, and what is no race. */
export interface LabPlan extends Plan {
  readonly simulations: readonly SimulationPlan[];
  readonly surveys: readonly SurveyPlan[];
  /** Of the primitives that the plan visits. */
  readonly overviews: readonly OverviewPlan[];
}

export interface SimulationPlan {
  readonly primitive: string;
  readonly scenario: string;
  readonly moduleUrl: string;
  readonly entries: readonly Entry[];
  /** What each cell is run from, in this order. */
  readonly seeds: readonly number[];
  readonly absent: readonly Absence[];
  readonly simulation: Simulation<unknown, unknown>;
}

export interface SurveyPlan {
  readonly primitive: string;
  readonly scenario: string;
  readonly moduleUrl: string;
  readonly entries: readonly Entry[];
  /** Processes for each competitor. */
  readonly forks: number;
  readonly bytes: number;
  readonly absent: readonly Absence[];
  /** Whether a tail has more workers than there are cores. */
  readonly oversubscribed: boolean;
  readonly survey: Survey<unknown, unknown> | Tail<unknown, unknown, unknown>;
  /** How the runtime of the survey is started. */
  readonly start: Start;
  /** Where its processes run, and what counts bytes there; absent where that is the lab's own. */
  readonly remote?: RemotePlan;
  readonly counters?: HeldCounters;
  readonly runtimes?: readonly [RacedRuntime];
}

export interface OverviewPlan {
  readonly primitive: string;
  readonly overview: Overview;
  /** Competitors that vary another, whether or not they race. */
  readonly variants: readonly string[];
}
