import type { Race, Scenario, Simulation, Suite } from "../suite.ts";

/** Imports in forks and workers, where the suite was already found good by the run that sent the file's name. */
export async function importRace(suiteUrl: string, scenario: string): Promise<Race<unknown, unknown, unknown>> {
  const found = await importScenario(suiteUrl, scenario);
  if (found.kind !== "race") throw new Error(`${scenario} is no race`);
  return found;
}

export async function importSimulation(suiteUrl: string, scenario: string): Promise<Simulation<unknown, unknown>> {
  const found = await importScenario(suiteUrl, scenario);
  if (found.kind !== "simulation") throw new Error(`${scenario} is no simulation`);
  return found;
}

export async function importCompetitor(url: string): Promise<unknown> {
  return ((await import(url)) as { default: unknown }).default;
}

async function importScenario(suiteUrl: string, name: string): Promise<Scenario> {
  const { default: suite } = (await import(suiteUrl)) as { default: Suite };
  const scenario = suite.scenarios.find((candidate) => candidate.scenario === name);
  if (scenario === undefined) throw new Error(`suite ${suite.primitive} has no scenario ${name}`);
  return scenario;
}
