import type { DefinedRace } from "../../define-race.ts";
import { labAt } from "../../lab.ts";
import type { Race } from "../../race.ts";
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
  const found = await importScenario<Race<unknown, unknown, unknown>>(moduleUrl, scenario);
  if (found.kind !== "race") throw new Error(`${scenario} is no race`);
  return found;
}

/** What a module describes, a race or what a lab has beside races. */
export type AnyScenario = Pick<Race<unknown, unknown, unknown>, "scenario" | "params"> & {
  readonly kind: string;
};

/** What the module at `moduleUrl` describes. */
export async function scenariosAt<Scenario extends AnyScenario>(
  moduleUrl: string,
): Promise<readonly Scenario[]> {
  const { default: exported } = (await import(moduleUrl)) as { default: Scenario | readonly Scenario[] };
  return [exported].flat() as readonly Scenario[];
}

/** The scenario of this name that the module at `moduleUrl` describes. */
export async function importScenario<Scenario extends AnyScenario>(
  moduleUrl: string,
  name: string,
): Promise<Scenario> {
  const found = (await scenariosAt<Scenario>(moduleUrl)).find(({ scenario }) => scenario === name);
  if (found === undefined) throw new Error(`${moduleUrl} has no scenario ${name}`);
  // A competitor may import the same module, and change there what it is checked by.
  return { ...found, params: fixed(found.params) };
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
  const race = await importScenario<AnyScenario & Partial<Pick<DefinedRace, "competitors">>>(
    file!,
    scenario!,
  );
  return race.competitors?.[name!];
}
