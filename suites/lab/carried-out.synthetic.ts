import { fileURLToPath } from "node:url";
import { type Entry, entryForFile } from "../../structures/catalog.ts";
import type { GroupResult } from "../engine/measure/run/watched.ts";
import type { SimulationResult, SurveyResult } from "./kinds/outcomes.ts";
import type { LabPlan } from "./kinds/plan.ts";
import { type LabObserver, type LabRunning, runPlan } from "./kinds/run.ts";
import type { Request } from "./plan/asked.ts";

interface Carried extends LabRunning {
  readonly signal?: AbortSignal;
  /** What else hears of the run. */
  readonly told?: Partial<LabObserver>;
}

/** Carries out a plan, and returns what its observer was told. */
export async function carryOut(plan: LabPlan, { signal, told = {}, ...running }: Carried = {}) {
  const groups: GroupResult[] = [];
  const simulations: SimulationResult[] = [];
  const surveys: SurveyResult[] = [];
  const announced: { readonly wholeMs: number; readonly isLonger: boolean }[] = [];
  const slow: { readonly group: string; readonly times: number }[] = [];
  const unstripped: string[] = [];
  const observer: LabObserver = {
    progress: (...heard) => told.progress?.(...heard),
    raced(result) {
      groups.push(result);
      told.raced?.(result);
    },
    simulated: (result) => simulations.push(result),
    surveyed: (result) => surveys.push(result),
    announced(wholeMs, isLonger) {
      announced.push({ wholeMs, isLonger });
      told.announced?.(wholeMs, isLonger);
    },
    unstripped: (group, reason) => unstripped.push(`${group}: ${reason}`),
    slow: (group, times) => slow.push({ group, times }),
  };
  await runPlan(plan, observer, signal ?? new AbortController().signal, running);
  return { groups, simulations, surveys, announced, slow, unstripped };
}

/** The request with these competitors from outside beside rivals of the lab, all in pick/uniform-8. */
export function withCandidates(
  request: Request,
  candidates: readonly (string | Entry)[],
  rivals: readonly string[] = ["cas-ring"],
): Request {
  const entries = candidates.map((one) => (typeof one === "string" ? entryForFile(one) : one));
  const names = [...rivals, ...entries.map(({ name }) => name)];
  return {
    ...request,
    filters: names.map((name) => `pick/uniform-8/${name}`),
    candidates: new Map([["pick", entries]]),
  };
}

/** The file of a faulty competitor, or of a cheat. */
export function candidateFile(name: string, folder: "faulty" | "cheats" = "faulty"): string {
  return fileURLToPath(new URL(`./${folder}/${name}.ts`, import.meta.url));
}
