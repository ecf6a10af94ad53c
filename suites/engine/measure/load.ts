import { readdirSync } from "node:fs";
import type { Race, Scenario, Simulation, Suite } from "../suite.ts";
import type { LoadedSuite } from "./plan.ts";

const SUITES = new URL("../../", import.meta.url);

/** Every `*.suite.ts`, in the order of their names. */
export async function loadSuites(): Promise<LoadedSuite[]> {
  const files = readdirSync(SUITES).filter((file) => file.endsWith(".suite.ts"));
  return Promise.all(
    files.sort().map(async (file) => {
      const { href: url } = new URL(file, SUITES);
      return { suite: ((await import(url)) as { default: Suite }).default, url };
    }),
  );
}

/** Imports in forks and workers, where the suite was already found good by the run that sent the file's name. */
export async function importRace(
  suiteUrl: string,
  scenario: string,
): Promise<Race<unknown, unknown, unknown>> {
  const found = await importScenario(suiteUrl, scenario);
  if (found.kind !== "race") throw new Error(`${scenario} is no race`);
  return found;
}

export async function importSimulation(
  suiteUrl: string,
  scenario: string,
): Promise<Simulation<unknown, unknown>> {
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
