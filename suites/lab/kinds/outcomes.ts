import type { Failure } from "../../engine/measure/plan/protocol.ts";
import type { Entry } from "../../engine/race.ts";
import type { SimulationPlan, SurveyPlan } from "./plan.ts";

/** What forks are called with, and what they return, where it is no race. */

export interface SimulationJob {
  /** As in the plan. */
  readonly lab: string | undefined;
  readonly scenario: Omit<SimulationPlan, "simulation" | "entries">;
  readonly entry: Entry;
  readonly size: "full" | "smoke";
}

export interface SurveyJob {
  /** As in the plan. */
  readonly lab: string | undefined;
  readonly scenario: Omit<SurveyPlan, "survey" | "entries">;
  readonly entry: Entry;
  readonly seed: number;
  readonly size: "full" | "smoke";
}

/** What one process saw of one competitor. */
export interface SurveyOutcome {
  readonly failure?: Failure;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface SimulatedCell {
  readonly competitor: string;
  readonly failure?: Failure;
  /** The metrics of each seed, in the order of the plan; none with a failure. */
  readonly samples: readonly Readonly<Record<string, number>>[];
  /** Of the first seed. */
  readonly series: Readonly<Record<string, readonly number[]>>;
}

export interface SurveyedCell {
  readonly competitor: string;
  readonly failure?: Failure;
  /** One for each process that ended well. */
  readonly forks: readonly Readonly<Record<string, number>>[];
}

export interface SimulationResult {
  readonly plan: SimulationPlan;
  readonly cells: readonly SimulatedCell[];
}

export interface SurveyResult {
  readonly plan: SurveyPlan;
  readonly cells: readonly SurveyedCell[];
}
