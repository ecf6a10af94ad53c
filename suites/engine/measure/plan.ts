import { competitorsOf, type Entry } from "../../../structures/catalog.ts";
import type { Claims } from "../../../structures/shared/claims.ts";
import { derivedSeed } from "../../../structures/shared/seat.ts";
import { Random } from "../../../structures/shared/sfc32.ts";
import type { Overview, Race, Scenario, Simulation, Suite, Survey } from "../suite.ts";

/**
 * The plan: which cells a run visits, in which groups, how often and in what order. Pure: the same request gives the
 * same plan, and the plan knows no clock.
 */
export interface Profile {
  readonly name: string;
  readonly forks: number;
  /** Rounds in one fork, even, so that every order is followed by its reverse. */
  readonly rounds: number;
  readonly sliceMs: number;
  /** Rounds of slices from LONG_SLICE_MS on; as many as of others if absent. */
  readonly longSliceRounds?: number;
  /** Processes for each competitor of a survey. */
  readonly surveys: number;
}

export const PROFILES = {
  quick: { name: "quick", forks: 2, rounds: 20, sliceMs: 2, longSliceRounds: 6, surveys: 1 },
  standard: { name: "standard", forks: 5, rounds: 40, sliceMs: 3, longSliceRounds: 10, surveys: 2 },
  full: { name: "full", forks: 10, rounds: 100, sliceMs: 3, longSliceRounds: 20, surveys: 5 },
} as const satisfies Record<string, Profile>;

/** Worker counts that a race is offered at; those above the cores only where asked for. */
export const WORKER_COUNTS = [1, 2, 4, 8];

/**
 * A slice with more workers than cores lasts at least this long: several scheduler quanta, so that every worker runs
 * in it. Fewer rounds pay for it.
 */
const OVERSUBSCRIBED_SLICE_MS = 50;
/** Slices from this length on have rounds of their own, which a profile says. */
const LONG_SLICE_MS = 30;

/**
 * Worker threads that the crews of one process may hold together. With about eight threads of Node's own (main,
 * V8's and libuv's pools) this keeps a process within 64.
 */
const MAX_CREW_THREADS = 54;
/** Crews of one worker that every group of several workers holds: the control alone, and the empty operation. */
const LONE_CREWS = 2;
/** The least a group can do with besides its twins: baseline, control and one rival. */
const FEWEST_CREWS = 3;

/**
 * The most workers that a request may ask for: what fits a group with this many twins into MAX_CREW_THREADS, or as
 * many as there are cores; only on machines with more cores than that does a process hold more threads.
 */
export function mostWorkers(twins: number, cores: number): number {
  return Math.max(cores, Math.floor((MAX_CREW_THREADS - LONE_CREWS) / (FEWEST_CREWS + twins)));
}

/**
 * A worker that is this much late to finish a slice never will. Generous, because on a busy machine a worker may be
 * off its core for long, and an oracle's single operation may outlast a slice.
 */
export const PATIENCE_MS = 8_000;

/**
 * At most this many rivals share a group: a longer round would tear paired slices too far apart in time, and more
 * groups would race the baseline, its twins and the control more often.
 */
const MAX_RIVALS = 8;

export type CrewKind = "baseline" | "twin" | "rival" | "control" | "control-alone" | "empty";

export interface CrewPlan {
  /**
   * Unique in its group: a competitor's name, or one with a `~` or an `@`, which no competitor's has: `<baseline>~twin1`, `~control`,
   * `cas-ring@1a2b3c4`.
   */
  readonly name: string;
  readonly kind: CrewKind;
  /** Module of the competitor; undefined for the crews that the engine brings along. */
  readonly url: string | undefined;
  readonly workers: number;
  /**
   * Work of the same kind that it does beyond what it counts, as a share: at 0.03 it makes 103 picks for each 100 that
   * it reports, and is by that much slower, alone and contended. For measuring what the judge can see. None if absent.
   */
  readonly extraWork?: number;
}

/** A competitor that does not take part in a scenario. */
export interface Absence {
  readonly competitor: string;
  readonly reason: string;
}

export interface GroupPlan {
  readonly primitive: string;
  readonly scenario: string;
  readonly suiteUrl: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  readonly sliceMs: number;
  readonly rounds: number;
  readonly forks: number;
  readonly crews: readonly CrewPlan[];
  /** Most memory that its racing crews hold together; 0 where that is not worth a thought. */
  readonly bytes: number;
  /** Who does not take part in the scenario, whatever the group. */
  readonly absent: readonly Absence[];
  readonly race: Race<unknown, unknown, unknown>;
}

export interface SimulationPlan {
  readonly primitive: string;
  readonly scenario: string;
  readonly suiteUrl: string;
  readonly entries: readonly Entry[];
  /** What each cell is run from, in this order. */
  readonly seeds: readonly number[];
  readonly absent: readonly Absence[];
  readonly simulation: Simulation<unknown, unknown>;
}

export interface SurveyPlan {
  readonly primitive: string;
  readonly scenario: string;
  readonly suiteUrl: string;
  readonly entries: readonly Entry[];
  /** Processes for each competitor. */
  readonly forks: number;
  readonly bytes: number;
  readonly absent: readonly Absence[];
  readonly survey: Survey<unknown, unknown>;
}

export interface Plan {
  readonly seed: number;
  readonly profile: Profile;
  readonly size: "full" | "smoke";
  readonly patienceMs: number;
  readonly groups: readonly GroupPlan[];
  readonly simulations: readonly SimulationPlan[];
  readonly surveys: readonly SurveyPlan[];
  /** Of the primitives that the plan visits. */
  readonly overviews: readonly OverviewPlan[];
}

export interface OverviewPlan {
  readonly primitive: string;
  readonly overview: Overview;
  /** Competitors that vary another, whether or not they race. */
  readonly variants: readonly string[];
}

export interface LoadedSuite {
  readonly suite: Suite;
  readonly url: string;
}

export interface Request {
  readonly suites: readonly LoadedSuite[];
  /** Filters on cell names; a filter matches a cell whose leading parts it spells. Empty: the headline scenarios. */
  readonly filters: readonly string[];
  readonly all: boolean;
  /** Worker counts asked for; undefined for the usual ones. */
  readonly workers: readonly number[] | undefined;
  readonly profile: Profile;
  readonly size: "full" | "smoke";
  readonly seed: number;
  readonly twins: number;
  readonly patienceMs: number;
  /** Competitors by primitive, where they are those of another folder than this one's structures. */
  readonly competitors?: ReadonlyMap<string, readonly Entry[]>;
  /** Competitors from outside the repository, by primitive. */
  readonly candidates: ReadonlyMap<string, readonly Entry[]>;
  /** What competitors and candidates say of themselves, by their URL; who is not in here takes part everywhere. */
  readonly claims: ReadonlyMap<string, Claims>;
  readonly cores: number;
}

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
  /** The competitor that this one varies, if any: it must be asked for, by --all or by naming the scenario. */
  readonly variantOf: string | undefined;
  /** Why the competitor does not take part; undefined where it does. */
  readonly absent: string | undefined;
}

/** Name of a race's cell. */
export function cellName(primitive: string, scenario: string, competitor: string, workers: number): string {
  return `${primitive}/${scenario}/${competitor}/${workers}w`;
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
          // Whom the suite names it has asked for.
          const variantOf =
            namedIn(scenario) === undefined ? request.claims.get(entry.url)?.variantOf : undefined;
          const absent = absences.get(entry);
          cells.push({ name, suite: loaded, scenario, entry, workers, offered, variantOf, absent });
        }
      }
    }
  }
  return cells;
}

/** Who may race in a scenario: those that it names, or all there are. */
function entriesOf(
  primitive: string,
  scenario: Scenario,
  request: Pick<Request, "competitors" | "candidates">,
): Entry[] {
  const named = namedIn(scenario);
  if (named === undefined) return contestantsOf(primitive, request);
  const competitors = competitorsOf(primitive);
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

function contestantsOf(
  primitive: string,
  { competitors, candidates }: Pick<Request, "competitors" | "candidates">,
): Entry[] {
  const own = competitors === undefined ? competitorsOf(primitive) : (competitors.get(primitive) ?? []);
  return [...own, ...(candidates.get(primitive) ?? [])];
}

function namedIn(scenario: Scenario): readonly string[] | undefined {
  return scenario.kind === "simulation" ? scenario.competitors : undefined;
}

/** Why a competitor does not take part in a scenario; the baseline, to which all others refer, always does. */
function absenceOf({ name, url }: Entry, scenario: Scenario, request: Omit<Request, "filters">) {
  const claims = request.claims.get(url);
  if (claims === undefined || name === scenario.baseline) return undefined;
  try {
    return claims.unavailable?.() ?? scenario.absent?.(claims, scenario.params[request.size]);
  } catch {
    // Whoever cannot even be asked races, and its cell will say what is wrong with it.
    return undefined;
  }
}

/**
 * The cells that the request's filters choose: of every primitive (all of them, without filters) the headline
 * scenarios and no variants, unless --all asks for the rest or a filter names a scenario. Absent competitors are among
 * them, and variants that nobody asked for are as good as absent.
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
    const isAskedFor = cell.variantOf === undefined || request.all || choosing.some(namesScenario);
    return [isAskedFor ? cell : { ...cell, absent: cell.absent ?? `a variant, which races with --all` }];
  });
}

function namesScenario(filter: string): boolean {
  return /\/./.test(filter);
}

function namesWorkers(filter: string): boolean {
  return /\/\d+w$/.test(filter);
}

/** Whether `filter` spells none or whole leading parts of `name`: `pick/uniform-8` matches `pick/uniform-8/cas-ring/2w`. */
export function matches(name: string, filter: string): boolean {
  return filter === "" || name === filter || name.startsWith(filter.endsWith("/") ? filter : `${filter}/`);
}

export function makePlan(request: Request): Plan {
  const groups: GroupPlan[] = [];
  const simulations: SimulationPlan[] = [];
  const surveys: SurveyPlan[] = [];
  const bySection = Map.groupBy(chosenCells(request), ({ suite, scenario, workers }) =>
    [suite.suite.primitive, scenario.scenario, workers].join("/"),
  );
  for (const cells of bySection.values()) {
    const { suite, scenario, workers } = cells[0]!;
    const entries = cells.filter(({ absent }) => absent === undefined).map(({ entry }) => entry);
    if (entries.length === 0) continue;
    const common = {
      primitive: suite.suite.primitive,
      scenario: scenario.scenario,
      suiteUrl: suite.url,
      absent: cells.flatMap(({ entry, absent }) =>
        absent === undefined ? [] : [{ competitor: entry.name, reason: absent }],
      ),
    };
    if (scenario.kind === "simulation") {
      simulations.push({
        ...common,
        entries: baselineFirst(entries, scenario.baseline),
        seeds: simulationSeeds(scenario, request),
        simulation: scenario,
      });
      continue;
    }
    const bytesPerWorker = (url: string) =>
      scenario.bytesPerWorker?.(request.claims.get(url), scenario.params[request.size]) ?? 0;
    if (scenario.kind === "survey") {
      surveys.push({
        ...common,
        entries: baselineFirst(entries, scenario.baseline),
        forks: Math.min(request.profile.surveys, scenario.mostForks ?? request.profile.surveys),
        bytes: Math.max(...entries.map(({ url }) => bytesPerWorker(url))),
        survey: scenario,
      });
      continue;
    }
    const baseline = competitorsOf(common.primitive).find(({ name }) => name === scenario.baseline);
    if (baseline === undefined) {
      throw new Error(
        `suite ${common.primitive}: no competitor is named like the baseline "${scenario.baseline}"`,
      );
    }
    const rivals = entries.filter(({ name }) => name !== baseline.name);
    for (const share of shares(rivals, rivalsPerGroup(workers!, request.twins))) {
      const crews = crewsOf(baseline, share, workers!, request.twins);
      groups.push({
        ...common,
        workers: workers!,
        // What is long or large at full size is neither at smoke size.
        ...timing(
          request.profile,
          request.size === "full" ? scenario.sliceMs : undefined,
          workers!,
          request.cores,
        ),
        crews,
        bytes: crews.reduce(
          (sum, { url }) => sum + (url === undefined ? 0 : workers! * bytesPerWorker(url)),
          0,
        ),
        race: scenario,
      });
    }
  }
  const { seed, profile, size, patienceMs } = request;
  const visited = new Set([...groups, ...simulations, ...surveys].map(({ primitive }) => primitive));
  const overviews = request.suites.flatMap(
    ({ suite: { primitive, scenarios, overview } }): OverviewPlan[] => {
      if (overview === undefined || !visited.has(primitive)) return [];
      checkOverview(primitive, overview, scenarios);
      const variants = contestantsOf(primitive, request)
        .filter(({ url }) => request.claims.get(url)?.variantOf !== undefined)
        .map(({ name }) => name);
      return [{ primitive, overview, variants }];
    },
  );
  return { seed, profile, size, patienceMs, groups, simulations, surveys, overviews };
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

/**
 * In which order the crews of a fork run: for each round a permutation of their indices. Every odd round is the
 * reverse of the one before, so any two crews meet in both orders equally often.
 */
export function roundOrders(crews: number, rounds: number, seed: number): number[][] {
  const random = new Random(seed);
  const orders: number[][] = [];
  while (orders.length < rounds) {
    const order = random.shuffle(Array.from({ length: crews }, (_, crew) => crew));
    orders.push(order, order.toReversed());
  }
  return orders.slice(0, rounds);
}

/** uint32 seed of one fork of one group: a different workload for each, the same for all competitors in it. */
export function forkSeed(seed: number, group: number, fork: number): number {
  return derivedSeed(derivedSeed(seed, group), fork);
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

/** How long a fork of this group takes, in ms, on a machine like the ones the method was made on. */
export function forkEstimateMs(group: GroupPlan): number {
  const processStartMs = 250;
  const threadStartMs = 25;
  const warmUpMs = 100;
  // Where workers must take turns on the cores, getting all of them through the gate and out again takes their turns.
  const betweenSlicesMs = group.oversubscribed ? 10 * group.workers : 0.4;
  const threads = group.crews.reduce((sum, { workers }) => sum + workers, 0);
  const measuringMs = group.rounds * (group.sliceMs + betweenSlicesMs);
  return processStartMs + threads * threadStartMs + group.crews.length * (warmUpMs + measuringMs);
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

/** How often and how long the groups of a race run. `leastSliceMs` is the race's own wish. */
export function timing(profile: Profile, leastSliceMs: number | undefined, workers: number, cores: number) {
  const sliceMs = Math.max(profile.sliceMs, leastSliceMs ?? 0);
  if (workers > cores) {
    return {
      oversubscribed: true,
      forks: profile.forks,
      sliceMs: Math.max(OVERSUBSCRIBED_SLICE_MS, sliceMs),
      rounds: profile.longSliceRounds ?? profile.rounds,
    };
  }
  const forks = workers > 1 ? 2 * profile.forks : profile.forks;
  const usual = workers > 1 ? contendedRounds(profile) : profile.rounds;
  const few = profile.longSliceRounds ?? usual;
  return { oversubscribed: false, forks, sliceMs, rounds: sliceMs >= LONG_SLICE_MS ? few : usual };
}

/**
 * Contended groups get twice the forks with half the rounds: how two workers share a line is decided once a process,
 * so forks differ far more than rounds do, and more rounds of the same fork tell nothing new.
 */
function contendedRounds({ rounds }: Profile): number {
  return Math.max(2, 2 * Math.round(rounds / 4));
}

function rivalsPerGroup(workers: number, twins: number): number {
  const crews = Math.floor((MAX_CREW_THREADS - LONE_CREWS) / workers);
  return Math.min(MAX_RIVALS, Math.max(1, crews - (FEWEST_CREWS - 1) - twins));
}

/** The crews of a group: the contestants, and beside them those that the engine brings along. */
export function crewsOf(
  baseline: Entry,
  rivals: readonly Entry[],
  workers: number,
  twins: number,
): CrewPlan[] {
  return [
    { name: baseline.name, kind: "baseline", url: baseline.url, workers },
    ...Array.from({ length: twins }, (_, index): CrewPlan => {
      return { name: `${baseline.name}~twin${index + 1}`, kind: "twin", url: baseline.url, workers };
    }),
    ...rivals.map(({ name, url }): CrewPlan => ({ name, kind: "rival", url, workers })),
    { name: "~control", kind: "control", url: undefined, workers },
    ...(workers > 1
      ? [{ name: "~control-alone", kind: "control-alone", url: undefined, workers: 1 } as const]
      : []),
    { name: "~empty", kind: "empty", url: undefined, workers: 1 },
  ];
}

/** Deals `items` into as few shares of at most `most` as will do, of nearly equal size; one empty share for none. */
function shares<T>(items: readonly T[], most: number): T[][] {
  const count = Math.max(1, Math.ceil(items.length / most));
  return Array.from({ length: count }, (_, share) => items.filter((_, index) => index % count === share));
}

function baselineFirst(entries: readonly Entry[], baseline: string): Entry[] {
  return entries.toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline));
}
