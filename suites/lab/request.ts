import { existsSync } from "node:fs";
import { competitorsOf, primitives } from "../../structures/catalog.ts";
import { parseWholes } from "../engine/cli/values.ts";
import { usableCores } from "../engine/measure/machine/cores.ts";
import { HOST, readHost } from "../engine/measure/machine/host-noise.ts";
import { mostWorkers } from "../engine/measure/plan/crews.ts";
import { PATIENCE_MS, PROFILES, scenarioOf } from "../engine/measure/plan/plan.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import { askRuntimes } from "./asked-runtimes.ts";
import { nearestFirst, orUsageError, parseDuration, parseName, UsageError } from "./command/usage.ts";
import type { LabPlan } from "./kinds/plan.ts";
import type { Request } from "./plan/asked.ts";
import { allCells, type Cell, chosenCells, matches } from "./plan/cells.ts";
import { makePlan } from "./plan/make-plan.ts";
import { runtimesPlan } from "./plan/runtime-plan.ts";
import type { NamedRuntime } from "./runtimes/abilities.ts";
import { startOrReason } from "./runtimes/runtimes.ts";
import { describeCompetitors, LAB, loadSuites } from "./suites.ts";

/**
 * From what was typed to a request that can be planned. Everything here throws a UsageError, whose one line says what
 * is wrong and what there is instead.
 */

/** What a command asks for; the lab has the rest. */
export type Asked = Pick<Request, "profile" | "seed"> & Partial<Omit<Request, "suites">>;

/** What is not asked for has the defaults of a command's options, on this machine. */
export function usualRequest(asked: Asked): Omit<Request, "suites"> {
  return {
    filters: [],
    all: false,
    workers: undefined,
    size: "full",
    patienceMs: PATIENCE_MS,
    lab: LAB,
    competitors: new Map(primitives().map((primitive) => [primitive, competitorsOf(primitive)])),
    startOf: startOrReason,
    candidates: new Map(),
    described: new Map(),
    cores: usableCores(),
    ...asked,
  };
}

/** Of the lab's suites and competitors, and of candidates that are described. */
export async function requestOf(asked: Asked): Promise<Request> {
  const request = usualRequest(asked);
  const suites = await loadSuites();
  const own = await describeCompetitors(suites, competitorsOf, request.filters, request.size);
  return { ...request, suites, described: new Map([...own, ...request.described]) };
}

/** `1,2,4`: worker counts, each from 1 to what a group can have on `cores` cores. */
export function parseWorkers(text: string | undefined, cores = usableCores()): number[] | undefined {
  if (text === undefined) return undefined;
  const most = mostWorkers(cores);
  return parseWholes("--workers", text, 1, most);
}

export function parseProfile(name: string): Request["profile"] {
  return PROFILES[parseName("--profile", name, Object.keys(PROFILES) as (keyof typeof PROFILES)[])];
}

/** How long to wait for a quiet machine, in ms; undefined where that was not asked for. */
export function parseWaitQuiet(text: string | undefined, source = HOST): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration("--wait-quiet", text);
  if (readHost(source).ownSeconds !== undefined) return ms;
  throw new UsageError(
    "--wait-quiet does not work on this system, which does not report what other processes do: remove it",
  );
}

/** What a command's --runtimes makes of a request: on the lab's own runtime where it names none. */
export async function planOn(runtimes: readonly NamedRuntime[], request: Request): Promise<LabPlan> {
  orUsageError(() => checkFilters(request));
  const asked = await askRuntimes("--runtimes", runtimes, request.filters, request.size);
  return orUsageError(() => (asked.length === 0 ? makePlan(request) : runtimesPlan(request, asked)));
}

/** Refuses filters that match nothing, and requests that leave nothing to race. */
export function checkFilters(request: Request): void {
  const names = allCells(request).map(({ name }) => name);
  for (const filter of request.filters) {
    if (names.some((name) => matches(name, filter))) continue;
    const depth = filter.split("/").filter((part) => part !== "").length;
    const choices = new Set(names.map((name) => name.split("/").slice(0, Math.max(1, depth)).join("/")));
    const nearest = nearestFirst(choices, filter);
    const shown = nearest.slice(0, 12).join(", ");
    throw new UsageError(
      `no cell is named "${filter}"; there are, nearest first: ${shown}${nearest.length > 12 ? ", ..." : ""} (npm run bench -- --list --all shows every one)`,
    );
  }
  const chosen = chosenCells(request);
  const candidates = new Set([...request.candidates.values()].flat());
  const idle = [...candidates].find((entry) => chosen.every((cell) => cell.entry !== entry));
  if (chosen.length > 0 && idle !== undefined) {
    throw new UsageError(
      `--candidate ${idle.name} is in none of the requested cells: remove it, or ask for scenarios that are open to it (npm run bench -- --list --all shows which)`,
    );
  }
  for (const cells of [
    chosen,
    ...[...candidates].map((entry) => chosen.filter((cell) => cell.entry === entry)),
  ]) {
    const [absent] = cells;
    if (absent?.absent !== undefined && cells.every((cell) => cell.absent !== undefined)) {
      throw new UsageError(`${absent.name} does not take part: ${absent.absent}`);
    }
  }
  if (chosen.length === 0) {
    throw new UsageError(
      "no cell is left to race: the requested scenarios need other --workers (npm run bench -- --list --all shows which)",
    );
  }
}

/**
 * Refuses to publish `parts` that lack a competitor, because it was not asked for. Also refuses if they lack a worker
 * count up to the cores that no published record has. The newest record with a scenario at a worker count is the whole
 * of what its page shows there. `isPublished` says whether a page would keep a worker count that is omitted.
 */
export function checkWholeScenarios(
  request: Request,
  parts: readonly { readonly primitive: string; readonly scenario: string }[],
  isPublished: (primitive: string, scenario: Scenario, workers: number) => boolean,
): void {
  const chosen = chosenCells(request);
  const chosenNames = new Set(chosen.map(({ name }) => name));
  const chosenTables = new Set(chosen.map(tableName));
  const scenarios = new Set(parts.map(({ primitive, scenario }) => `${primitive}/${scenarioOf(scenario)}`));
  const missing = allCells(request).find((cell) => {
    const { name, suite, scenario, workers = 1 } = cell;
    const { primitive } = suite.suite;
    if (!scenarios.has(`${primitive}/${scenario.scenario}`) || chosenNames.has(name)) return false;
    return (
      chosenTables.has(tableName(cell)) ||
      (workers <= request.cores && !isPublished(primitive, scenario, workers))
    );
  });
  if (missing === undefined) return;
  throw new UsageError(
    `--publish takes whole scenarios, and ${missing.name} is missing: name no single competitor, and all worker counts up to the cores that are not published yet`,
  );
}

/** The table that a cell is in: that of its scenario at its worker count. */
function tableName({ suite, scenario, workers = 1 }: Cell): string {
  return `${suite.suite.primitive}/${scenario.scenario}/${workers}`;
}

/** Refuses to publish what is published already. */
export function checkUnpublished(path: string): void {
  if (!existsSync(path)) return;
  throw new UsageError(`${path} is published already, and records are never edited: commit something first`);
}
