import { competitorsOf, type Entry } from "../../../structures/catalog.ts";
import { describedIn } from "../../engine/measure/plan/described.ts";
import type { Race } from "../../engine/race.ts";
import { present } from "../../engine/words/present.ts";
import { derivedSeed } from "../../engine/words/random.ts";
import { nearestFirst, UsageError } from "../command/usage.ts";
import { type LoadedSuite, moduleUrlOf, type Request } from "../plan/asked.ts";
import { matches } from "../plan/cells.ts";
import { describeCompetitors, loadSuites } from "../suites.ts";
import { HERE } from "./data/machines.ts";
import { coresOf, drawnCosts, type Machine, nominalCosts } from "./machine/machine.ts";
import type { Task } from "./machine/simulated.ts";
import { type CoresCell, type CoresRecord, structureOf } from "./record.ts";

/** What is simulated, in which order and from which seeds. The same request gives the same plan. */

/** A race whose crews are simulated. */
export interface SimulatedRace extends Pick<Task, "primitive" | "scenario" | "localWork"> {
  /** The race whose median at one worker local work is taken from, where that is another: one that needs two workers. */
  readonly alone?: string;
  /** The first worker's role, where workers have roles: simulated and measured figures are of these. */
  readonly role?: "reader";
  /** Largest crew that is simulated unless others are asked for; any if absent. */
  readonly mostWorkers?: number;
  /** About how many accesses an operation has. The progress line plans by it, nothing else. */
  readonly accesses: number;
}

/**
 * For each primitive whose workers share words, the race that its answer rests on, as large as it was measured. Each worker
 * of a crew of timers sets 100,000 of them before anything begins, so large crews would take minutes.
 */
export const SIMULATED_RACES: readonly SimulatedRace[] = [
  { primitive: "pick", scenario: "uniform-8", localWork: "spread", accesses: 6 },
  // Between two acquisitions a worker thinks, which is nearly all of its local work.
  { primitive: "locks", scenario: "short-section", localWork: "after", accesses: 270 },
  { primitive: "slots", scenario: "connect-600", localWork: "spread", accesses: 20 },
  { primitive: "timers", scenario: "crew-own", localWork: "spread", mostWorkers: 16, accesses: 60 },
  {
    primitive: "timers",
    scenario: "crew-foreign",
    localWork: "spread",
    alone: "crew-own",
    mostWorkers: 16,
    accesses: 60,
  },
  {
    primitive: "queues",
    scenario: "handed-8",
    localWork: "spread",
    alone: "alone-8",
    mostWorkers: 64,
    accesses: 20,
  },
  { primitive: "ownership", scenario: "one-writer-small", localWork: "spread", role: "reader", accesses: 40 },
  { primitive: "metrics", scenario: "count", localWork: "spread", accesses: 4 },
  { primitive: "limits", scenario: "granted", localWork: "spread", accesses: 10 },
  { primitive: "keyed", scenario: "many-keys", localWork: "spread", accesses: 20 },
];

/**
 * The structures that the free costs of the machine "here" were fitted to (fit.ts). The first four were chosen before any
 * other was simulated. The other two were added after a first look, which showed that the four say little of how often
 * a core uses a line that it has, and of how long it takes to fall asleep.
 */
export const FITTED: readonly string[] = [
  "pick/uniform-8/shuffled-round-robin",
  "pick/uniform-8/cas-ring",
  "pick/uniform-8/locked-random",
  "pick/uniform-8/locked-random-ticket",
  "pick/uniform-8/wasm-fetch-and-add-loop",
  "locks/short-section/futex-three-state",
];

/** Worker counts on a machine with room for them, and on the one that measured, where races were offered. */
const WORKER_COUNTS = [1, 2, 4, 8, 16, 32, 64, 128];
const MEASURED_COUNTS = [1, 2, 4, 8];
/** Each worker is a thread of the process that simulates. */
export const MOST_WORKERS = 128;

/**
 * Most operations of a crew. Ten operations lie beyond the nominal run's p99.9. A draw shows where the mean may lie, and has
 * no tail. Before the window opens each worker has come to its place in the contention.
 */
const OPERATIONS = 10_000;
const OPERATIONS_OF_DRAW = 1_000;
const WARM_UP_PER_WORKER = 2;
const LEAST_WARM_UP = 200;
/** Fewest of the nominal run: two of each worker, and enough to see what an operation costs. */
const FEWEST = 200;
const FEWEST_PER_WORKER = 2;
/**
 * Handovers of lines that a crew may have, as each takes some 0.01 ms to simulate: one of 64 spinning workers has a hundred
 * in an operation. Where they leave room for fewer operations, there are fewer. What is far out has no figure then.
 */
const HANDOVERS = { nominal: 25_000, draw: 3_000 };

/** How many turns each worker has in a window where there are more of them than cores. Such crews have no draws. */
const QUANTA = 2;

/** Streams of the run's seed. */
const CREWS = 0;
const COSTS = 1;

/** The seed of a run of one worker alone. */
export function aloneSeed({ seed }: Pick<CoresPlan, "seed">): number {
  return crewSeed(seed, 1);
}

function crewSeed(seed: number, workers: number): number {
  return derivedSeed(derivedSeed(seed, CREWS), workers);
}

/** One competitor in one race, on one machine: what a process simulates as a whole. */
export interface Structure {
  readonly race: SimulatedRace;
  /** Modules of the race, and of the one that local work is taken from. */
  readonly moduleUrl: string;
  readonly aloneUrl: string;
  readonly competitor: string;
  readonly url: string;
  /** The race's baseline: local work is its where nothing is known of the competitor's own. */
  readonly baseline: Entry;
  /** Why it is not simulated, in a few words. */
  readonly absent?: string;
  readonly machine: Machine;
  readonly counts: readonly number[];
}

export interface CoresPlan {
  readonly seed: number;
  readonly draws: number;
  readonly machines: readonly Machine[];
  /** In the order of the races, then by name, candidates last; the machines of each follow one another. */
  readonly structures: readonly Structure[];
}

export interface CoresRequest
  extends Pick<CoresPlan, "seed" | "draws" | "machines">,
    Pick<Request, "candidates" | "described"> {
  /** Leading parts of primitive/scenario/competitor. Empty: all; or where there are candidates, these and baselines. */
  readonly filters: readonly string[];
  /** Undefined: as many as the machine is asked for by default. */
  readonly workers: readonly number[] | undefined;
}

/** Throws a UsageError where a filter matches nothing, or a candidate is in none of what was asked for. */
export async function planCores(request: CoresRequest): Promise<CoresPlan> {
  const { seed, draws, machines, filters, workers, candidates } = request;
  const suites = await loadSuites();
  const primitives = [...new Set(SIMULATED_RACES.map(({ primitive }) => primitive))];
  const own = await describeCompetitors(suites, competitorsOf, primitives, "full");
  const described = new Map([...own, ...request.described]);
  const all = await Promise.all(
    SIMULATED_RACES.map((race) => entrantsOf(race, suites, { candidates, described })),
  );
  const entrants = all.flat();
  checkFilters(filters, entrants.map(structureOf), candidates);
  const isAsked = (entrant: Entrant) => {
    const isOfCandidates = candidates.has(entrant.primitive);
    if (filters.length === 0 && candidates.size > 0) return isOfCandidates && entrant.isAskedFirst;
    return filters.length === 0 || filters.some((filter) => matches(structureOf(entrant), filter));
  };
  const structures = entrants
    .filter(isAsked)
    .flatMap(({ race, entry, baseline, absent, least, ...modules }) =>
      machines.map((machine) => ({
        race,
        moduleUrl: modules.moduleUrl,
        aloneUrl: modules.aloneUrl,
        competitor: entry.name,
        url: entry.url,
        baseline,
        ...present({ absent }),
        machine,
        counts: (workers ?? countsOn(machine, race)).filter((count) => count >= least),
      })),
    );
  const idle = [...candidates.values()]
    .flat()
    .find(({ url }) => structures.every((structure) => structure.url !== url));
  if (idle !== undefined) {
    throw new UsageError(
      `--candidate ${idle.name} is in none of the requested races: remove it, or ask for one of its primitive`,
    );
  }
  return { seed, draws, machines, structures };
}

/** On a server each worker has a core: crews that take turns need windows of many quanta, which take too long there. */
function countsOn(machine: Machine, { mostWorkers }: SimulatedRace): readonly number[] {
  const most = Math.min(mostWorkers ?? MOST_WORKERS, coresOf(machine));
  return machine.name === HERE.name ? MEASURED_COUNTS : WORKER_COUNTS.filter((count) => count <= most);
}

interface Entrant {
  readonly primitive: string;
  readonly scenario: string;
  readonly competitor: string;
  readonly race: SimulatedRace;
  readonly moduleUrl: string;
  readonly aloneUrl: string;
  readonly entry: Entry;
  readonly baseline: Entry;
  readonly absent: string | undefined;
  /** Smallest crew of the race. */
  readonly least: number;
  /** Whether it is a candidate or the baseline beside one. */
  readonly isAskedFirst: boolean;
}

async function entrantsOf(
  race: SimulatedRace,
  suites: readonly LoadedSuite[],
  { candidates, described }: Pick<CoresRequest, "candidates" | "described">,
): Promise<Entrant[]> {
  const { primitive, scenario, alone = scenario } = race;
  const suite = suites.find((loaded) => loaded.suite.primitive === primitive)!;
  const raced = raceIn(suite, race);
  const own = competitorsOf(primitive);
  const strangers = candidates.get(primitive) ?? [];
  const baseline = own.find(({ name }) => name === raced.baseline)!;
  const absenceOf = async ({ name, url }: Entry): Promise<string | undefined> => {
    const known = { described, size: "full" } as const;
    const absent = name === baseline.name ? undefined : describedIn(raced, url, known).absent;
    // The calling process imports no candidate. One of these that cannot be simulated fails where it would be.
    return strangers.some((stranger) => stranger.url === url)
      ? absent
      : ((await unlikeWords(url, raced)) ?? absent);
  };
  return Promise.all(
    [...own, ...strangers].map(async (entry) => ({
      primitive,
      scenario,
      competitor: entry.name,
      race,
      moduleUrl: moduleUrlOf(suite, scenario),
      aloneUrl: moduleUrlOf(suite, alone),
      entry,
      baseline,
      absent: await absenceOf(entry),
      least: raced.minWorkers ?? 1,
      isAskedFirst: entry.name === baseline.name || strangers.includes(entry),
    })),
  );
}

function raceIn(
  { suite }: LoadedSuite,
  { primitive, scenario }: SimulatedRace,
): Race<unknown, unknown, unknown> {
  const found = suite.scenarios.find((described) => described.scenario === scenario);
  if (found?.kind !== "race") throw new Error(`${primitive}/${scenario} is no race of the lab`);
  return found;
}

/** Why no stand-in for shared words could show what a competitor does; undefined where one can. */
async function unlikeWords(url: string, race: Race<unknown, unknown, unknown>): Promise<string | undefined> {
  const { default: competitor } = (await import(url)) as { default: { readonly share?: unknown } };
  if (competitor.share !== undefined) return "it shares an object of V8's, not words alone";
  if ((race.threads?.(competitor, race.params.full) ?? 0) > 0) return "it has a thread beside its workers";
  return undefined;
}

function checkFilters(
  filters: readonly string[],
  names: readonly string[],
  candidates: CoresRequest["candidates"],
): void {
  for (const filter of filters) {
    if (names.some((name) => matches(name, filter))) continue;
    const depth = Math.max(1, filter.split("/").filter((part) => part !== "").length);
    const choices = new Set(names.map((name) => name.split("/").slice(0, depth).join("/")));
    const nearest = nearestFirst(choices, filter);
    const shown = `${nearest.slice(0, 12).join(", ")}${nearest.length > 12 ? ", ..." : ""}`;
    throw new UsageError(
      `nothing that is simulated is named "${filter}"; there are, nearest first: ${shown} (npm run cores -- --list shows every one)`,
    );
  }
  const primitives = new Set(SIMULATED_RACES.map(({ primitive }) => primitive));
  for (const [primitive, [candidate]] of candidates) {
    if (primitives.has(primitive)) continue;
    throw new UsageError(
      `--candidate ${candidate!.name} is of ${primitive}, of which nothing is simulated: remove it (there are ${[...primitives].join(", ")})`,
    );
  }
}

/** What a crew is simulated from: all of a `Task` but what a run of one worker alone shows. */
export type PlannedTask = Omit<Task, "localNs" | "atomicsAlone">;

/** A crew with the costs of the machine as they are, and with drawn ones. */
export interface PlannedCell {
  readonly nominal: PlannedTask;
  readonly draws: readonly PlannedTask[];
  /** Fewest operations of the nominal run. */
  readonly fewest: number;
  /** About how many handovers of lines each run may have: what limits its operations below the task's. */
  readonly handovers: { readonly nominal: number; readonly draw: number };
}

/** The crews of a structure, by worker count. A crew's seed is the same for all competitors, and a draw's costs too. */
export function cellsOf(
  { seed, draws }: Pick<CoresPlan, "seed" | "draws">,
  structure: Structure,
): PlannedCell[] {
  const { machine } = structure;
  const drawn = Array.from({ length: draws }, (_, draw) =>
    drawnCosts(machine, derivedSeed(derivedSeed(seed, COSTS), draw)),
  );
  const cores = coresOf(machine);
  return structure.counts.map((workers) => {
    const nominal = taskOf(seed, structure, workers, nominalCosts(machine), OPERATIONS);
    const plan = { fewest: Math.max(FEWEST, FEWEST_PER_WORKER * workers), handovers: HANDOVERS };
    if (workers > cores) {
      const leastNs = (QUANTA * machine.costs.quantum.value * workers) / cores;
      return { ...plan, nominal: { ...nominal, leastNs }, draws: [] };
    }
    const draws = drawn.map((costs) => taskOf(seed, structure, workers, costs, OPERATIONS_OF_DRAW));
    return { ...plan, nominal, draws };
  });
}

function taskOf(
  seed: number,
  { race, moduleUrl, competitor, url, machine }: Structure,
  workers: number,
  costs: Task["costs"],
  operations: number,
): PlannedTask {
  const { primitive, scenario, localWork } = race;
  const { sockets, complexesPerSocket, coresPerComplex } = machine;
  return {
    primitive,
    scenario,
    moduleUrl,
    competitor,
    url,
    size: "full",
    workers,
    topology: { sockets, complexesPerSocket, coresPerComplex },
    costs,
    localWork,
    warmUp: Math.max(LEAST_WARM_UP, WARM_UP_PER_WORKER * workers),
    operations,
    seed: crewSeed(seed, workers),
  };
}

/** How much work a cell is, about: the accesses of its crews. */
export function weightOf({ draws }: Pick<CoresPlan, "draws">, { race: { accesses } }: Structure): number {
  return accesses * (OPERATIONS + draws * OPERATIONS_OF_DRAW);
}

/** How many figures a plan has, and of how many simulated crews: `--list` ends with it. */
export function planText({ structures, draws }: CoresPlan): string {
  const cells = structures.flatMap(({ absent, counts }) => (absent === undefined ? counts : []));
  const crews = cells.length * (1 + draws);
  return `${cells.length} simulated figures, each of at most ${OPERATIONS.toLocaleString("en")} operations${draws === 0 ? "" : ` and ${draws} draws of at most ${OPERATIONS_OF_DRAW.toLocaleString("en")}`}: ${crews} crews`;
}

/** The cells of a structure that a record holds already; undefined unless it is there at all of its worker counts. */
export function cellsIn(
  record: Pick<CoresRecord, "cells">,
  { race, competitor, machine, counts }: Structure,
): readonly CoresCell[] | undefined {
  const own = record.cells.filter(
    (cell) =>
      cell.competitor === competitor &&
      cell.primitive === race.primitive &&
      cell.scenario === race.scenario &&
      cell.machine === machine.name,
  );
  return counts.every((count) => own.some(({ workers }) => workers === count)) ? own : undefined;
}
