import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { competitorsOf, type Entry, primitives } from "../../../../structures/catalog.ts";
import { currentAllocator } from "../../../../structures/shared/layout.ts";
import type { Traits } from "../../../../structures/shared/traits.ts";
import type { SourceClaims } from "../../claims.ts";
import type { Race, Scenario, Simulation, Suite, SuiteModule, Survey, Tail } from "../../suite.ts";
import { type Described, describeCompetitor } from "../plan/described.ts";
import type { LoadedSuite } from "../plan/plan.ts";
import { assertBuiltins } from "./builtins.ts";

const SUITES = new URL("../../../", import.meta.url);

/** Every `suite.ts` with the scenarios beside it, in the order of their primitives' names. */
export async function loadSuites(): Promise<LoadedSuite[]> {
  const loaded = await defaultExports<SuiteModule>(/^suite\.ts$/);
  return Promise.all(loaded.map(async ([url, module]) => ({ suite: await wholeSuite(url, module), url })));
}

/** A suite's module with the scenarios in its folder. */
export async function wholeSuite(url: string, { order = [], ...suite }: SuiteModule): Promise<Suite> {
  const files = readdirSync(new URL("scenarios/", url)).filter((file) => file.endsWith(".ts"));
  const names = new Set([...order, ...files.map((file) => basename(file, ".ts")).sort()]);
  const found = [...names].map((name) => scenariosIn(url, new URL(`scenarios/${name}.ts`, url).href));
  const scenarios = (await Promise.all(found)).flat();
  for (const scenario of scenarios) checkContenders(suite.primitive, scenario);
  return { ...suite, scenarios };
}

/** More than that race for so long, and in so few processes each, that a table of them tells little. */
export const MOST_CONTENDING = 10;

/** Throws an Error with one line where those whom a scenario names to race cannot, or are too many. */
export function checkContenders(
  primitive: string,
  scenario: Pick<Scenario, "scenario" | "baseline"> & Pick<Race<unknown, unknown, unknown>, "contenders">,
): void {
  const { contenders } = scenario;
  if (contenders === undefined) return;
  const refused = (reason: string) => new Error(`suite ${primitive}, ${scenario.scenario}: ${reason}`);
  const known = new Set(competitorsOf(primitive).map(({ name }) => name));
  const unknown = contenders.find((name) => !known.delete(name));
  if (unknown !== undefined) throw refused(`its contender "${unknown}" is no competitor, or is named twice`);
  if (!contenders.includes(scenario.baseline)) {
    throw refused(`its baseline "${scenario.baseline}" is not among its contenders`);
  }
  const rivals = contenders.length - 1;
  if (rivals > MOST_CONTENDING) {
    throw refused(`${rivals} of its contenders are rivals of its baseline, and ${MOST_CONTENDING} may be`);
  }
}

/** Throws an Error with one line if one of them is looked for elsewhere by its name. */
async function scenariosIn(suiteUrl: string, url: string): Promise<readonly Scenario[]> {
  const scenarios = await exportedBy(url);
  for (const { scenario } of scenarios) {
    const found = scenarioUrl(suiteUrl, scenario);
    if (found !== url)
      throw new Error(
        `${fileURLToPath(url)} has ${scenario}, which is looked for in ${fileURLToPath(found)}`,
      );
  }
  return scenarios;
}

/**
 * The module that a scenario is described in: the file that is named by the most of its name's first words; or else, as
 * tests have it, what stands for the suite.
 */
export function scenarioUrl(suiteUrl: string, scenario: string): string {
  const words = scenario.split("-");
  for (let count = words.length; count > 0; count--) {
    const own = URL.parse(`scenarios/${words.slice(0, count).join("-")}.ts`, suiteUrl);
    if (own !== null && existsSync(own)) return own.href;
  }
  return suiteUrl;
}

/** Every `claims.ts` and `<source>.claims.ts`, in the order of their names. */
export async function loadSourceClaims(): Promise<SourceClaims[]> {
  return (await defaultExports<SourceClaims>(/^(.+\.)?claims\.ts$/)).map(([, claims]) => claims);
}

/** Of the files of each primitive that are named so. */
async function defaultExports<T>(named: RegExp): Promise<[url: string, exported: T][]> {
  const urls = primitives().flatMap((primitive) => {
    const folder = new URL(`${primitive}/`, SUITES);
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => named.test(file)) : [];
    return files.sort().map((file) => new URL(file, folder).href);
  });
  return Promise.all(
    urls.map(async (url): Promise<[string, T]> => [url, ((await import(url)) as { default: T }).default]),
  );
}

/**
 * What plans have to know of competitors, by URL: of those of the primitives that filters on cell names begin with, of
 * all where there is none. Imports them, so it is for the lab's own alone. A file that cannot be imported is left out:
 * it races, and its cell will say what is wrong with it.
 */
export async function describeCompetitors(
  suites: readonly LoadedSuite[],
  competitors: (primitive: string) => readonly Entry[],
  filters: readonly string[],
  size: "full" | "smoke",
): Promise<Map<string, Described>> {
  const named = new Set(filters.map((filter) => filter.split("/")[0]!));
  const visited = suites.filter(({ suite }) => named.size === 0 || named.has(suite.primitive));
  const described = visited.flatMap(({ suite }) =>
    competitors(suite.primitive).map(async ({ url }): Promise<[string, Described][]> => {
      const traits = (await importCompetitor(url).catch(() => undefined)) as Traits | undefined;
      return traits === undefined ? [] : [[url, describeCompetitor(traits, suite, size)]];
    }),
  );
  return new Map((await Promise.all(described)).flat());
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

export async function importSurvey(
  suiteUrl: string,
  scenario: string,
): Promise<Survey<unknown, unknown> | Tail<unknown, unknown, unknown>> {
  const found = await importScenario(suiteUrl, scenario);
  if (found.kind !== "survey" && found.kind !== "tail") throw new Error(`${scenario} is no survey`);
  return found;
}

export async function importTail(
  suiteUrl: string,
  scenario: string,
): Promise<Tail<unknown, unknown, unknown>> {
  const found = await importScenario(suiteUrl, scenario);
  if (found.kind !== "tail") throw new Error(`${scenario} is no tail`);
  return found;
}

/** One after the other, so that what is found afterwards is the doing of the one that was imported last. */
export function importCompetitor(url: string): Promise<unknown> {
  const imported = importing.then(() => importAlone(url));
  importing = imported.catch(() => undefined);
  return imported;
}

let importing: Promise<unknown> = Promise.resolve();

/** Throws where the module does, and an Error where it replaced a builtin. */
async function importAlone(url: string): Promise<unknown> {
  await shareAllocator(url);
  const competitor = (await import(url)) as { readonly default: unknown } & Partial<Layout>;
  assertBuiltins();
  // A candidate may bring its own copy of that module along, as one does that `npm run new` laid out.
  competitor.allocateWith?.(currentAllocator);
  return competitor.default;
}

/**
 * A competitor of another checkout (see compare/) brings its own copy of the module that structures allocate with: from
 * now on it allocates as this folder's does. Older ones have no such switch, and allocate separately.
 */
async function shareAllocator(url: string): Promise<void> {
  for (const path of LAYOUTS_OF_COMPETITOR) {
    const found = URL.parse(path, url);
    if (found === null || found.href === OWN_LAYOUT || !existsSync(found)) continue;
    const layout = (await import(found.href).catch(() => undefined)) as Partial<Layout> | undefined;
    layout?.allocateWith?.(currentAllocator);
  }
}

type Layout = typeof import("../../../../structures/shared/layout.ts");
/** From a competitor's module: where it is, and where it was while competitors stood beside their contract. */
const LAYOUTS_OF_COMPETITOR = ["../../shared/layout.ts", "../shared/layout.ts"];
const { href: OWN_LAYOUT } = new URL("../../../../structures/shared/layout.ts", import.meta.url);

async function importScenario(suiteUrl: string, name: string): Promise<Scenario> {
  const url = scenarioUrl(suiteUrl, name);
  const scenario = (await exportedBy(url)).find((candidate) => candidate.scenario === name);
  if (scenario === undefined) throw new Error(`${fileURLToPath(url)} has no scenario ${name}`);
  return scenario;
}

async function exportedBy(url: string): Promise<readonly Scenario[]> {
  const { default: exported } = (await import(url)) as { default: Scenario | readonly Scenario[] };
  return [exported].flat();
}
