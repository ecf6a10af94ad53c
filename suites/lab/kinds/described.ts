import { importScenario } from "../../engine/measure/load/load.ts";
import type { Scenario, Simulation, Survey, Tail } from "../../shared/vocabulary.ts";

/** Imports, in forks and workers, what is no race. */
export async function importSimulation(
  moduleUrl: string,
  scenario: string,
): Promise<Simulation<unknown, unknown>> {
  const found = await importScenario<Scenario>(moduleUrl, scenario);
  if (found.kind !== "simulation") throw new Error(`${scenario} is no simulation`);
  return found;
}

export async function importSurvey(
  moduleUrl: string,
  scenario: string,
): Promise<Survey<unknown, unknown> | Tail<unknown, unknown, unknown>> {
  const found = await importScenario<Scenario>(moduleUrl, scenario);
  if (found.kind !== "survey" && found.kind !== "tail") throw new Error(`${scenario} is no survey`);
  return found;
}

export async function importTail(
  moduleUrl: string,
  scenario: string,
): Promise<Tail<unknown, unknown, unknown>> {
  const found = await importScenario<Scenario>(moduleUrl, scenario);
  if (found.kind !== "tail") throw new Error(`${scenario} is no tail`);
  return found;
}
