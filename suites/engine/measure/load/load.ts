import type { DefinedRace } from "../../define-race.ts";
import { labAt } from "../../lab.ts";
import type { Race, Scenario, Simulation, Survey, Tail } from "../../suite.ts";
import { currentAllocator } from "../../words/layout.ts";
import { assertBuiltins } from "./builtins.ts";

/**
 * Imports in forks and workers. A scenario's module exports one scenario by default, or a list of scenarios that each
 * have a name of their own.
 */
export async function importRace(
  moduleUrl: string,
  scenario: string,
): Promise<Race<unknown, unknown, unknown>> {
  const found = await importScenario(moduleUrl, scenario);
  if (found.kind !== "race") throw new Error(`${scenario} is no race`);
  return found;
}

export async function importSimulation(
  moduleUrl: string,
  scenario: string,
): Promise<Simulation<unknown, unknown>> {
  const found = await importScenario(moduleUrl, scenario);
  if (found.kind !== "simulation") throw new Error(`${scenario} is no simulation`);
  return found;
}

export async function importSurvey(
  moduleUrl: string,
  scenario: string,
): Promise<Survey<unknown, unknown> | Tail<unknown, unknown, unknown>> {
  const found = await importScenario(moduleUrl, scenario);
  if (found.kind !== "survey" && found.kind !== "tail") throw new Error(`${scenario} is no survey`);
  return found;
}

export async function importTail(
  moduleUrl: string,
  scenario: string,
): Promise<Tail<unknown, unknown, unknown>> {
  const found = await importScenario(moduleUrl, scenario);
  if (found.kind !== "tail") throw new Error(`${scenario} is no tail`);
  return found;
}

/** What the module at `moduleUrl` describes. */
export async function scenariosAt(moduleUrl: string): Promise<readonly Scenario[]> {
  const { default: exported } = (await import(moduleUrl)) as { default: Scenario | readonly Scenario[] };
  return [exported].flat();
}

async function importScenario(moduleUrl: string, name: string): Promise<Scenario> {
  const scenario = (await scenariosAt(moduleUrl)).find((candidate) => candidate.scenario === name);
  if (scenario === undefined) throw new Error(`${moduleUrl} has no scenario ${name}`);
  // A competitor may import the same module, and change there what it is checked by.
  return { ...scenario, params: fixed(scenario.params) };
}

/** Frozen wholly, as far as it is plain data. */
function fixed<Value>(value: Value): Value {
  const isPlain = Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
  if (!isPlain) return value;
  for (const part of Object.values(value as object)) fixed(part);
  return Object.freeze(value);
}

/**
 * Imports a competitor by the lab at `labUrl`, which gets `seed`. Imports wait for one another, so that a replaced builtin is the
 * fault of the last module. Throws where the module does, and an Error where it replaced a builtin.
 */
export function importCompetitor(url: string, labUrl?: string, seed = 0): Promise<unknown> {
  const imported = importing.then(() => importAlone(url, labUrl, seed));
  importing = imported.catch(() => undefined);
  return imported;
}

let importing: Promise<unknown> = Promise.resolve();

async function importAlone(url: string, labUrl: string | undefined, seed: number): Promise<unknown> {
  const { load = loadExport } = await labAt(labUrl);
  const competitor = await load(url, currentAllocator, seed);
  assertBuiltins();
  return competitor;
}

/** The module's default export; with `#scenario/name`, a competitor of that race (see define-race.ts). */
async function loadExport(url: string): Promise<unknown> {
  const [file, place] = url.split("#");
  if (place === undefined) return ((await import(url)) as { readonly default: unknown }).default;
  const [scenario, name] = place.split("/");
  const race = (await importScenario(file!, scenario!)) as Partial<DefinedRace>;
  return race.competitors?.[name!];
}
