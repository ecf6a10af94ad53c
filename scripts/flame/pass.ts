import { withScratch } from "../../suites/engine/measure/machine/scratch.ts";
import { describedIn } from "../../suites/engine/measure/plan/described.ts";
import type { PlannedTime } from "../../suites/engine/measure/plan/estimate.ts";
import { beyondMemory } from "../../suites/engine/measure/plan/failures.ts";
import { cellName, type GroupPlan } from "../../suites/engine/measure/plan/plan.ts";
import type { Window } from "../../suites/engine/measure/plan/protocol.ts";
import { askFork } from "../../suites/engine/measure/run/process.ts";
import {
  type ProfiledWorker,
  type ProfileOutcome,
  profileJob,
  type Sampler,
} from "../../suites/lab/kinds/profile/profile-job.ts";
import type { Request } from "../../suites/lab/plan/asked.ts";
import { chosenCells } from "../../suites/lab/plan/cells.ts";
import { makePlan } from "../../suites/lab/plan/make-plan.ts";
import { samplesWithin } from "./cpu-profile.ts";
import { parsePerf, perfScript } from "./perf.ts";
import type { Sample, WorkerSamples } from "./samples.ts";

/** A cell to profile: a group of one crew. */
export interface CellPlan {
  readonly cell: string;
  readonly group: GroupPlan;
}

/** The races that a request's filters choose, cell by cell, in the order of its plan. */
export function profilePlan(request: Request): CellPlan[] {
  const chosen = new Set(
    chosenCells(request)
      .filter(({ absent }) => absent === undefined)
      .map(({ name }) => name),
  );
  const plans = new Map<string, CellPlan>();
  for (const group of makePlan(request).groups) {
    const { primitive, scenario, workers, race } = group;
    for (const crew of group.crews) {
      const cell = cellName(primitive, scenario, crew.name, workers);
      if (!chosen.has(cell) || plans.has(cell)) continue;
      const bytes = workers * describedIn(race, crew.url!, request).bytesPerWorker;
      plans.set(cell, { cell, group: { ...group, crews: [crew], bytes } });
    }
  }
  return [...plans.values()];
}

export interface PassOptions {
  /** As in a plan. */
  readonly lab: string | undefined;
  readonly sampler: Sampler;
  readonly windowsMs: number;
  readonly seed: number;
  readonly size: "full" | "smoke";
  readonly patienceMs: number;
}

/** Why a cell has no profile, or what was seen of it. */
export type Pass =
  | { readonly cell: string; readonly failure: string }
  | {
      readonly cell: string;
      readonly failure?: undefined;
      readonly workers: readonly WorkerSamples[];
      /** How long all workers were seen measuring at once. */
      readonly windowsMs: number;
    };

/** A process and its threads start, the structure is built and warmed up. */
const START_MS = 1_500;
/** Between two slices, and reading what was seen. */
const SLOWER = 1.3;

export function passEstimateMs({ windowsMs }: Pick<PassOptions, "windowsMs">): number {
  return START_MS + SLOWER * windowsMs;
}

/**
 * Profiles one cell in a process of its own. Whatever goes wrong there, a crash included, comes back as a failure. What
 * samplers write on the way lies in a folder of its own, which is removed. With an aborted `signal` the pass failed.
 */
export async function profileCell(
  { cell, group: { race: _, ...group } }: CellPlan,
  options: PassOptions,
  clock: PlannedTime,
  signal: AbortSignal,
): Promise<Pass> {
  const tooMuch = beyondMemory(group.bytes);
  if (tooMuch !== undefined) return { cell, failure: tooMuch.reason };
  try {
    return await withScratch("flame", async (scratch) => {
      const job = profileJob({ group, ...options, scratch });
      const estimateMs = passEstimateMs(options);
      const stretch = clock.begin(estimateMs, `${cell}, profiled`);
      const waiting = { estimateMs, progress: stretch.within, signal };
      const answer = await askFork(job, waiting);
      stretch.end();
      if (answer.kind === "lost") return { cell, failure: answer.failure.reason };
      if (answer.kind !== "called") throw new Error(`a profile was asked for, and ${answer.kind} came`);
      return { cell, ...passOf(answer.value as ProfileOutcome, options.sampler, scratch) };
    });
  } catch (error) {
    return { cell, failure: error instanceof Error ? error.message.split("\n")[0]! : String(error) };
  }
}

/** Throws an Error with one line if what was seen is no profile of every worker. */
function passOf(outcome: ProfileOutcome, sampler: Sampler, scratch: string) {
  if (outcome.failure !== undefined) return { failure: outcome.failure.reason };
  const { windows, workers } = outcome;
  const samplesOf: (worker: ProfiledWorker) => readonly Sample[] =
    sampler === "v8" ? ({ v8 }) => samplesWithin(v8!, windows) : perfSamples(scratch, windows);
  const isOneRole = new Set(workers.map(({ role }) => role)).size === 1;
  const seen = workers.map((worker, index) => {
    const samples = samplesOf(worker);
    if (samples.length === 0)
      throw new Error(`the profiler took no sample of worker ${index} while it measured`);
    return { worker: `worker ${index}${isOneRole ? "" : `, ${worker.role}`}`, samples };
  });
  const windowsMs = windows.reduce((sum, { fromNs, toNs }) => sum + (toNs - fromNs) / 1e6, 0);
  return { workers: seen, windowsMs };
}

function perfSamples(
  scratch: string,
  windows: readonly Window[],
): (worker: ProfiledWorker) => readonly Sample[] {
  const threads = parsePerf(perfScript(scratch), windows);
  return ({ kernelThread }) => threads.get(kernelThread!) ?? [];
}
