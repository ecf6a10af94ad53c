import { WORKER_COUNTS } from "../../engine/measure/plan/crews.ts";
import { describedIn } from "../../engine/measure/plan/described.ts";
import { cellName } from "../../engine/measure/plan/plan.ts";
import type { Entry } from "../../engine/race.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import type { LoadedSuite, Request } from "./asked.ts";

/** Everything that could be raced: one line per cell, with the scenario and competitor it belongs to. */
export interface Cell {
  readonly name: string;
  readonly suite: LoadedSuite;
  readonly scenario: Scenario;
  readonly entry: Entry;
  /** undefined for a simulation or a survey. */
  readonly workers: number | undefined;
  /** False for a worker count that must be asked for: by --workers, --all, the full profile, or a filter's `8w`. */
  readonly offered: boolean;
  /**
   * Why it races only where it is asked for, if it does. It may be asked for by --all or by a filter. The filter names
   * the scenario of a variant, or a competitor that is no contender.
   */
  readonly onlyAsked: "variant" | "no contender" | undefined;
  /** Why the competitor does not take part; undefined where it does. */
  readonly absent: string | undefined;
}

/** Every cell that exists for this request's suites, candidates and worker counts, before filters. */
export function allCells(request: Omit<Request, "filters">): Cell[] {
  const cells: Cell[] = [];
  for (const loaded of request.suites) {
    const { primitive, scenarios } = loaded.suite;
    for (const scenario of scenarios) {
      const entries = entriesOf(primitive, scenario, request);
      const absences = new Map(entries.map((entry) => [entry, absenceOf(entry, scenario, request)]));
      for (const { workers, offered } of workerCounts(scenario, request)) {
        for (const entry of entries) {
          const name =
            workers === undefined
              ? `${primitive}/${scenario.scenario}/${entry.name}`
              : cellName(primitive, scenario.scenario, entry.name, workers);
          const onlyAsked = onlyAskedOf(entry, primitive, scenario, request);
          const absent = absences.get(entry);
          cells.push({ name, suite: loaded, scenario, entry, workers, offered, onlyAsked, absent });
        }
      }
    }
  }
  return cells;
}

/** Competitors that may race in a scenario: the ones that it names, or all. */
function entriesOf(
  primitive: string,
  scenario: Scenario,
  request: Pick<Request, "competitors" | "candidates">,
): Entry[] {
  const named = namedIn(scenario);
  if (named === undefined) return contestantsOf(primitive, request);
  const competitors = request.competitors.get(primitive) ?? [];
  const entries = named.map((name) => {
    const found = competitors.find((entry) => entry.name === name);
    if (found !== undefined) return found;
    throw new Error(`suite ${primitive}, ${scenario.scenario}: no competitor is named "${name}"`);
  });
  if (named.includes(scenario.baseline)) return entries;
  throw new Error(
    `suite ${primitive}, ${scenario.scenario}: its baseline "${scenario.baseline}" is not among its competitors`,
  );
}

export function contestantsOf(
  primitive: string,
  { competitors, candidates }: Pick<Request, "competitors" | "candidates">,
): Entry[] {
  return [...(competitors.get(primitive) ?? []), ...(candidates.get(primitive) ?? [])];
}

/** A competitor that races only when it is named counts as named if the suite names it, and so does every candidate. */
function onlyAskedOf(
  entry: Entry,
  primitive: string,
  scenario: Scenario,
  { described, candidates }: Pick<Request, "described" | "candidates">,
): Cell["onlyAsked"] {
  const contenders = scenario.kind === "race" ? scenario.contenders : undefined;
  if (contenders !== undefined) {
    const isAskedFor = contenders.includes(entry.name) || candidates.get(primitive)?.includes(entry);
    return isAskedFor ? undefined : "no contender";
  }
  const isVariant = described.get(entry.url)?.variantOf !== undefined;
  return isVariant && namedIn(scenario) === undefined ? "variant" : undefined;
}

function namedIn(scenario: Scenario): readonly string[] | undefined {
  return scenario.kind === "simulation" || scenario.kind === "survey" ? scenario.competitors : undefined;
}

/**
 * Why a competitor does not take part in a scenario. The baseline of a race or a simulation, to which all others refer,
 * always does. A survey may need what this machine does not have: another runtime, or a program.
 */
function absenceOf({ name, url }: Entry, scenario: Scenario, request: Omit<Request, "filters">) {
  const { absent } = describedIn(scenario, url, request);
  if (scenario.kind !== "survey") return name === scenario.baseline ? undefined : absent;
  const start = scenario.runtime === undefined ? undefined : request.startOf(scenario.runtime);
  return typeof start === "string" ? start : absent;
}

function workerCounts(scenario: Scenario, request: Omit<Request, "filters">) {
  if (scenario.kind !== "race") return [{ workers: undefined, offered: true }];
  const { workers, all, profile, cores } = request;
  return [...new Set([...WORKER_COUNTS, ...(workers ?? [])])]
    .sort((a, b) => a - b)
    .filter((count) => count >= (scenario.minWorkers ?? 1) && count <= (scenario.mostWorkers ?? count))
    .map((count) => ({
      workers: count,
      offered:
        workers === undefined ? count <= cores || all || profile.name === "full" : workers.includes(count),
    }));
}

/**
 * The cells that the request's filters choose. Of every primitive (all of them, without filters) these are the headline
 * scenarios, without variants and with contenders alone. `--all` asks for the rest. So does a filter that names a
 * scenario or, in one with contenders, a competitor. Absent competitors are among them, and so are cells that were not
 * asked for.
 */
export function chosenCells(request: Request): Cell[] {
  const filters = request.filters.length > 0 ? request.filters : [""];
  return allCells(request).flatMap((cell) => {
    const choosing = filters.filter(
      (filter) =>
        matches(cell.name, filter) &&
        (cell.scenario.headline || request.all || namesScenario(filter)) &&
        (cell.offered || namesWorkers(filter)),
    );
    if (choosing.length === 0) return [];
    const { onlyAsked, absent } = cell;
    const isNamed = onlyAsked === "variant" ? namesScenario : namesCompetitor;
    if (onlyAsked === undefined || request.all || choosing.some(isNamed)) return [cell];
    return [{ ...cell, absent: absent ?? NOT_ASKED_FOR[onlyAsked] }];
  });
}

const NOT_ASKED_FOR = { variant: "a variant, which races with --all", "no contender": NO_CONTENDER } as const;

function namesScenario(filter: string): boolean {
  return /\/./.test(filter);
}

function namesCompetitor(filter: string): boolean {
  return /\/.*\/./.test(filter);
}

function namesWorkers(filter: string): boolean {
  return /\/\d+w$/.test(filter);
}

/** Whether `filter` spells none or whole leading parts of `name`: `pick/uniform-8` matches `pick/uniform-8/cas-ring/2w`. */
export function matches(name: string, filter: string): boolean {
  return filter === "" || name === filter || name.startsWith(filter.endsWith("/") ? filter : `${filter}/`);
}
