import { run } from "../../engine/measure/run/run.ts";
import type { Running, RunObserver } from "../../engine/measure/run/watched.ts";
import type { SimulationResult, SurveyResult } from "./outcomes.ts";
import { type Done, NOTHING_DONE, unracedMs } from "./pace.ts";
import type { LabPlan } from "./plan.ts";
import { simulateAll } from "./simulation/simulate-all.ts";
import { withPrograms } from "./stripped.ts";
import { surveyAll } from "./survey/survey-all.ts";

export interface LabObserver extends RunObserver {
  simulated(result: SimulationResult): void;
  surveyed(result: SurveyResult): void;
}

/** How a run of the lab is carried out. */
export interface LabRunning extends Pick<Running, "needed" | "ask"> {
  /** What is done already, and left out. */
  readonly done?: Done;
}

/** Carries out a plan of the lab: its races, then its simulations, then its surveys. */
export async function runPlan(
  plan: LabPlan,
  observer: LabObserver,
  signal: AbortSignal,
  { done = NOTHING_DONE, ...running }: LabRunning = {},
): Promise<void> {
  await run(plan, observer, signal, {
    ...running,
    done: done.groups,
    withPrograms,
    unraced: {
      plannedMs: unracedMs(plan, done),
      async carryOut(watched) {
        await simulateAll(plan, done.simulations, watched, observer);
        await surveyAll(plan, done.surveys, watched, observer);
      },
    },
  });
}
