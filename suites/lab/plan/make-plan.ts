import { describedIn } from "../../engine/measure/plan/described.ts";
import { groupsOf, type Section } from "../../engine/measure/plan/groups.ts";
import type { GroupPlan } from "../../engine/measure/plan/plan.ts";
import { LAB_RUNTIME } from "../../engine/measure/plan/plan.ts";
import { budgetOf, weightOf } from "../../engine/measure/plan/timing.ts";
import type { Entry, Start } from "../../engine/race.ts";
import { derivedSeed } from "../../engine/words/random.ts";
import type { Overview, Scenario, Simulation, Survey, Tail } from "../../shared/vocabulary.ts";
import type { LabPlan, OverviewPlan, SimulationPlan, SurveyPlan } from "../kinds/plan.ts";
import { moduleUrlOf, type Request } from "./asked.ts";
import { type Cell, chosenCells, contestantsOf } from "./cells.ts";

/**
 * The plan of a run. Pure: the same request gives the same plan, and the plan knows no clock. Throws an Error with one line if
 * a suite names a baseline, or a column of its overview, that does not exist.
 */
export function makePlan(request: Request): LabPlan {
  const sections = sectionsOf(request);
  const tablesOf = Map.groupBy(sections, ({ scenario }) => scenario);
  const groups: GroupPlan[] = [];
  const simulations: SimulationPlan[] = [];
  const surveys: SurveyPlan[] = [];
  for (const section of sections) {
    const { scenario } = section;
    if (section.entries.length === 0) continue;
    if (scenario.kind === "simulation") simulations.push(simulationOf(section, scenario, request));
    else if (scenario.kind === "race")
      groups.push(...groupsOf(section, scenario, tablesOf.get(scenario)!.length, request));
    else surveys.push(surveyOf(section, scenario, request));
  }
  const { lab, seed, profile, size, patienceMs } = request;
  return {
    lab,
    seed,
    profile,
    size,
    patienceMs,
    budgetMs: request.budgetMs ?? budgetOf(profile, groups),
    groups: shortestFirst(groups),
    simulations,
    surveys,
    overviews: overviewsOf([...groups, ...simulations, ...surveys], request),
  };
}

/** The chosen cells of one scenario at one worker count. */
interface ScenarioSection extends Section {
  readonly scenario: Scenario;
}

function sectionsOf(request: Request): ScenarioSection[] {
  const keyOf = ({ suite, scenario, workers }: Cell) =>
    [suite.suite.primitive, scenario.scenario, workers].join("/");
  return [...Map.groupBy(chosenCells(request), keyOf).values()].map((cells) => {
    const { suite, scenario, workers } = cells[0]!;
    return {
      scenario,
      workers,
      entries: cells.filter(({ absent }) => absent === undefined).map(({ entry }) => entry),
      common: {
        primitive: suite.suite.primitive,
        scenario: scenario.scenario,
        moduleUrl: moduleUrlOf(suite, scenario.scenario),
        absent: cells.flatMap(({ entry, absent }) =>
          absent === undefined ? [] : [{ competitor: entry.name, reason: absent }],
        ),
      },
    };
  });
}

function simulationOf(
  { entries, common }: Section,
  simulation: Simulation<unknown, unknown>,
  request: Request,
): SimulationPlan {
  return {
    ...common,
    entries: baselineFirst(entries, simulation.baseline),
    seeds: simulationSeeds(simulation, request),
    simulation,
  };
}

function surveyOf(
  { entries, common }: Section,
  survey: Survey<unknown, unknown> | Tail<unknown, unknown, unknown>,
  request: Request,
): SurveyPlan {
  const { surveys } = request.profile;
  const threads = survey.kind === "tail" ? survey.workers : 1;
  const mostForks = survey.kind === "tail" ? surveys : (survey.mostForks ?? surveys);
  const bytes = entries.map(({ url }) => describedIn(survey, url, request).bytesPerWorker);
  return {
    ...common,
    entries: baselineFirst(entries, survey.baseline),
    forks: Math.min(surveys, mostForks),
    bytes: threads * Math.max(...bytes),
    oversubscribed: threads > request.cores,
    survey,
    start: startOf(survey, request),
  };
}

/** Where the runtime is not there, no competitor takes part, and nothing is started. */
function startOf(survey: SurveyPlan["survey"], { startOf: startIn }: Request): Start {
  const start = startIn((survey.kind === "survey" ? survey.runtime : undefined) ?? LAB_RUNTIME);
  if (typeof start === "string") throw new Error(start);
  return start;
}

/** The overviews of the primitives that these parts visit. */
function overviewsOf(parts: readonly { readonly primitive: string }[], request: Request): OverviewPlan[] {
  const visited = new Set(parts.map(({ primitive }) => primitive));
  return request.suites.flatMap(({ suite: { primitive, scenarios, overview } }) => {
    if (overview === undefined || !visited.has(primitive)) return [];
    checkOverview(primitive, overview, scenarios);
    const variants = contestantsOf(primitive, request)
      .filter(({ url }) => request.described.get(url)?.variantOf !== undefined)
      .map(({ name }) => name);
    return [{ primitive, overview, variants }];
  });
}

/** The table that is done soonest comes first, so that a reader need not wait for one; the others stay in their order. */
function shortestFirst(groups: readonly GroupPlan[]): GroupPlan[] {
  const byTable = Map.groupBy(groups, ({ primitive, scenario, workers }) =>
    [primitive, scenario, workers].join("/"),
  );
  const weightIn = (table: readonly GroupPlan[]) => table.reduce((sum, group) => sum + weightOf(group), 0);
  const [shortest = []] = [...byTable.values()].toSorted((a, b) => weightIn(a) - weightIn(b));
  return [...shortest, ...groups.filter((group) => !shortest.includes(group))];
}

/** Throws an Error with one line if a column's figure is none that the suite's scenarios have. */
function checkOverview(primitive: string, { columns }: Overview, scenarios: readonly Scenario[]): void {
  for (const { title, scenario, metric, workers } of columns) {
    const where = `suite ${primitive}, overview, "${title}"`;
    const found = scenarios.find((candidate) => candidate.scenario === scenario);
    if (found === undefined) throw new Error(`${where}: no scenario is named "${scenario}"`);
    if (workers !== undefined) {
      const isRaced =
        found.kind === "race" &&
        workers >= (found.minWorkers ?? 1) &&
        workers <= (found.mostWorkers ?? workers);
      if (!isRaced) throw new Error(`${where}: ${scenario} is not raced at ${workers}w`);
    } else if (found.kind === "race" || !Object.hasOwn(found.metrics, metric)) {
      throw new Error(`${where}: ${scenario} has no metric "${metric}"`);
    }
  }
}

/** Enough to see that more than one works. */
const SEEDS_AT_SMOKE_SIZE = 2;

/** What the cells of a simulation are run from: the request's own seed, and as many others as it wants. */
function simulationSeeds(
  { seeds = 1 }: Simulation<unknown, unknown>,
  { seed, size }: Pick<Request, "seed" | "size">,
): number[] {
  const count = size === "full" ? seeds : Math.min(SEEDS_AT_SMOKE_SIZE, seeds);
  return Array.from({ length: count }, (_, index) => (index === 0 ? seed : derivedSeed(seed, index)));
}

function baselineFirst(entries: readonly Entry[], baseline: string): Entry[] {
  return entries.toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline));
}
