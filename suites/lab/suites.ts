import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { competitorsOf, type Entry, primitives } from "../../structures/catalog.ts";
import type { Traits } from "../../structures/shared/traits.ts";
import { importCompetitor, scenariosAt } from "../engine/measure/load/load.ts";
import { type Described, describeCompetitor } from "../engine/measure/plan/described.ts";
import type { Race } from "../engine/race.ts";
import type { Scenario, SuiteModule } from "../shared/vocabulary.ts";
import type { LoadedSuite } from "./plan/asked.ts";

/** Module of the lab, which forks and threads import by (see `Lab`). */
export const LAB = new URL("./lab.ts", import.meta.url).href;

const SUITES = new URL("../", import.meta.url);

/** Every `suite.ts` with the scenarios beside it, in the order of their primitives' names. */
export async function loadSuites(): Promise<LoadedSuite[]> {
  const loaded = await defaultExports<SuiteModule>(/^suite\.ts$/);
  return Promise.all(loaded.map(([url, module]) => loadSuite(url, module)));
}

/** A suite's module with the scenarios in its folder, each in a module of its own or in one with others of its curve. */
export async function loadSuite(url: string, { order = [], ...suite }: SuiteModule): Promise<LoadedSuite> {
  const files = readdirSync(new URL("scenarios/", url)).filter((file) => file.endsWith(".ts"));
  const names = new Set([...order, ...files.map((file) => basename(file, ".ts")).sort()]);
  const found = [...names].map(async (name) => {
    const { href } = new URL(`scenarios/${name}.ts`, url);
    return (await scenariosAt<Scenario>(href)).map((scenario) => ({ scenario, href }));
  });
  const described = (await Promise.all(found)).flat();
  const scenarios = described.map(({ scenario }) => scenario);
  for (const scenario of scenarios) checkContenders(suite.primitive, scenario);
  const modules = new Map(described.map(({ scenario, href }) => [scenario.scenario, href]));
  return { suite: { ...suite, scenarios }, url, modules };
}

/** A table of more than that shows little: they race for so long, and in so few processes each. */
export const MOST_CONTENDING = 10;

/** Throws an Error with one line where the competitors that a scenario names cannot race, or are too many. */
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
 * What plans have to know of competitors, by URL. These are the competitors of the primitives that filters on cell
 * names begin with, of all where there is none. Imports them, so it is for the lab's own alone. A file that cannot be
 * imported is left out: it races, and its cell will say what is wrong with it.
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
      const traits = (await importCompetitor(url, LAB).catch(() => undefined)) as Traits | undefined;
      return traits === undefined ? [] : [[url, describeCompetitor(traits, suite, size)]];
    }),
  );
  return new Map((await Promise.all(described)).flat());
}
