import { competitorsOf, type Entry } from "../../../structures/catalog.ts";
import { Random } from "../../../structures/shared/sfc32.ts";
import { derivedSeed } from "../../../structures/shared/worker-identity.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import { UsageError } from "../schema/usage.ts";
import type {
  Overview,
  Placement,
  Race,
  Scenario,
  Simulation,
  Start,
  Suite,
  Survey,
  Tail,
} from "../suite.ts";
import { type Described, type DescribedIn, unknownIn } from "./described.ts";
import type { HeldCounters } from "./held-bytes.ts";
import { LAB_RUNTIME, notInstalled, startOf } from "./runtimes.ts";

/**
 * The plan: which cells a run visits, in which groups, how often and in what order. Pure: the same request gives the
 * same plan, and the plan knows no clock.
 */
/** How much racing a run may do, and from when on a row needs no more of it. */
export interface Profile {
  readonly name: string;
  /** Time for each cell of a race, start-up included, in s. What is decided sooner leaves its time to the others. */
  readonly secondsPerCell: number;
  /** Half-width of an interval, as a share, up to which a row is raced even when it is decided. */
  readonly precision: number;
  /** Processes for each competitor of a survey. */
  readonly surveys: number;
  /**
   * Processes for each group and rounds in each of them, where neither time nor verdicts are to decide: in tests, which
   * may also do with fewer slices of warm-up than a crew needs to be warm.
   */
  readonly exactly?: { readonly forks: number; readonly rounds: number; readonly warmUpSlices?: number };
}

export const PROFILES = {
  quick: { name: "quick", secondsPerCell: 0.5, precision: 0.1, surveys: 1 },
  // What is raced where nothing is asked for takes five minutes, and with its simulations and surveys less than six.
  standard: { name: "standard", secondsPerCell: 1.8, precision: 0.03, surveys: 2 },
  full: { name: "full", secondsPerCell: 8, precision: 0.01, surveys: 5 },
} as const satisfies Record<string, Profile>;

/** Worker counts that a race is offered at; those above the cores only where asked for. */
export const WORKER_COUNTS = [1, 2, 4, 8];

/**
 * Fewer than four processes hardly show how processes differ. More than the most are better spent on a quieter machine.
 */
export const FEWEST_FORKS = 4;
export const MOST_FORKS = 64;

/**
 * Length of a slice, in us. A machine's state lasts 20 to 80 ms, so that a round of sixteen slices of less than half a
 * millisecond mostly sees one. Waking a thread and hearing from it take 0.15 ms on a virtual machine, whatever
 * the length, so that shorter ones would measure for less than half of the time.
 */
const SLICE_US = 400;
/**
 * Two workers take longer to be woken, to meet and to park. In slices twice as long equals agreed two to three times as well
 * from fork to fork, and a lock cost 109 ns where it cost 103: what is measured is more of it queueing, and less of it beginning to.
 */
const CONTENDED_SLICE_US = 800;
/**
 * A crew that ran some milliseconds ago finds code and data in farther caches than one that ran just now: 0.3 %
 * with no ramp through the window's own code, in us. Longer ramps change no more.
 */
const SHORT_RAMP_US = 30;
/** What a large structure has to be copied in for, and out again, should be worth it. */
const LARGE_SLICE_US = 2_000;
/**
 * Objects stay where they are, and other crews have had the caches since: so long, in us, a worker runs operations before
 * its window opens.
 */
const REFILL_US = 3_000;
const REFILLED_SLICE_US = 3_000;
/** A slice with more workers than cores lasts some scheduler quanta, so that every worker runs in it. */
const OVERSUBSCRIBED_SLICE_US = 24_000;

/**
 * Rounds of one process together, in ms. About as long as starting its threads and warming up takes: how V8 came to compile a
 * crew differs from process to process by more than rounds of one process do, so that another process tells more.
 */
const FORK_SLICES_MS = 800;
/** What several workers cost drifts by the second, and their threads take twice as long to start. */
const CONTENDED_FORK_SLICES_MS = 1_400;
const LARGE_FORK_SLICES_MS = 1_500;
const UNMOVED_FORK_SLICES_MS = 1_000;
const FEWEST_ROUNDS = 16;
const MOST_ROUNDS = 400;
/** A fork that has seen too little of the quiet state goes on for up to so many times its rounds. */
const MOST_TIMES_ROUNDS = 3;
/** The engine's own crews tell of the machine, and need not run in every round. */
export const OWN_CREWS_EVERY = 4;
/**
 * Laws are checked on totals, so that nothing is missed between two looks. A look at a structure of some megabytes takes as
 * long as a few slices. A multiple of OWN_CREWS_EVERY, so that the engine's own crews have theirs.
 */
const ROUNDS_PER_ACCOUNT = 20;

/** From a wake to the window and from its end to the coordinator, in us: for estimates. */
const BETWEEN_SLICES_US = 110;
/** What a slice takes longer that its fork orders from another process, in us: 40 to 120 were seen (see CHANGELOG.md). */
const ACROSS_PROCESSES_US = 80;
/** What a core copies in a microsecond, of sets of some megabytes. */
const COPIED_BYTES_PER_US = 4_000;

/**
 * Worker threads that the crews of one process may hold together. With about eight threads of Node's own (main,
 * V8's and libuv's pools) this keeps a process within 64.
 */
const MAX_CREW_THREADS = 54;
/** Crews of one worker that every group of several workers holds: the control alone, and the empty operation. */
const LONE_CREWS = 2;
/** The least a group can do with besides its A/A controls: baseline, control and one rival. */
const FEWEST_CREWS = 3;

/**
 * The most workers that a request may ask for: what fits a group with this many A/A controls into MAX_CREW_THREADS, or as
 * many as there are cores; only on machines with more cores than that does a process hold more threads.
 */
export function mostWorkers(aaControls: number, cores: number): number {
  return Math.max(cores, Math.floor((MAX_CREW_THREADS - LONE_CREWS) / (FEWEST_CREWS + aaControls)));
}

/**
 * A worker that is this much late to finish a slice never will. Generous, because on a busy machine a worker may be
 * off its core for long, and an oracle's single operation may outlast a slice.
 */
export const PATIENCE_MS = 8_000;

/**
 * At most this many rivals share a group. Each has its threads to start and to warm up, a round of more would see more than one
 * state of the machine, and a crew that fails takes its process's time along.
 */
const MAX_RIVALS = 12;
/** Crews whose structures cannot be moved push one another out of the last cache too: four of 8 MB fill it. */
const MAX_RIVALS_OF_OBJECTS = 2;

export type CrewKind = "baseline" | "aa-control" | "rival" | "control" | "control-alone" | "empty";

export interface CrewPlan {
  /**
   * Unique in its group: a competitor's name, or one with a `~` or an `@`, which no competitor's has: `<baseline>~aa1`, `~control`,
   * `cas-ring@1a2b3c4`.
   */
  readonly name: string;
  readonly kind: CrewKind;
  /** Module of the competitor; undefined for the crews that the engine brings along. */
  readonly url: string | undefined;
  readonly workers: number;
  /** `arena` if its words lie where those of all other crews lie in their turns. */
  readonly placement: "arena" | "own";
  /**
   * Work of the same kind that it does beyond what it counts, as a share: at 0.03 it makes 103 picks for each 100 that
   * it reports, and is by that much slower, alone and contended. For measuring what the judge can see. None if absent.
   */
  readonly extraWork?: number;
  /** Where it runs; in the fork itself if absent. */
  readonly host?: HostPlan;
}

/** A process of some runtime beside the fork, which has crews of its own. Those of one name share one. */
export interface HostPlan {
  readonly name: string;
  /** As `RacedRuntime` names it. */
  readonly runtime: string;
  readonly start: Start;
}

/** On which runtime a crew runs; those of the fork itself run on the lab's own. */
export function runtimeOf(crew: Pick<CrewPlan, "host"> | undefined): string {
  return crew?.host?.runtime ?? LAB_RUNTIME;
}

/** A runtime of which a group has crews. */
export interface RacedRuntime {
  /** As it is asked for: `bun`. */
  readonly name: string;
  /** What it says of itself: `Bun 1.4.5`, `JavaScriptCore d6375c72affe`. */
  readonly version: string;
  readonly engine: string;
}

/** A competitor that does not take part in a scenario. */
export interface Absence {
  readonly competitor: string;
  readonly reason: string;
}

export interface GroupPlan {
  readonly primitive: string;
  /** A scenario's name; with an `@`, which none has, where it is raced on other runtimes (see runtime-plan.ts). */
  readonly scenario: string;
  readonly suiteUrl: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  readonly sliceUs: number;
  /** How long workers run before a window opens, so that caches are full again. */
  readonly rampUs: number;
  /** Rounds in one fork, even, so that every order is followed by its reverse. */
  readonly rounds: number;
  /** How many there may be where those have seen too little of the quiet state. */
  readonly mostRounds: number;
  /**
   * In one of so many rounds each crew gives an account, and its law is checked; the seed chooses which. The first and the
   * last have one, too.
   */
  readonly accountEvery: number;
  /** Slices of warm-up; absent, as many as a crew needs. */
  readonly warmUpSlices?: number;
  /** Most processes; racing ends sooner when its time is up or no row needs more. */
  readonly forks: number;
  /** See `Profile`. */
  readonly precision: number;
  /** Rows of its table: intervals are widened for so many. */
  readonly rows: number;
  /** `arena`: crews use the same memory in turn. `own`: each has its own, because it holds objects that cannot be moved. */
  readonly placement: "arena" | "own";
  readonly crews: readonly CrewPlan[];
  /** Those that its crews run on, where that is not the lab's own alone. */
  readonly runtimes?: readonly RacedRuntime[];
  /** Most memory that its racing crews hold together; 0 where that is not worth a thought. */
  readonly bytes: number;
  /** Who does not take part in the scenario, whatever the group. */
  readonly absent: readonly Absence[];
  readonly race: Race<unknown, unknown, unknown>;
}

/** The name of the scenario that a group races, whatever runtimes it is raced on. */
export function scenarioOf(named: string): string {
  return named.split("@", 1)[0]!;
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
  /** Whether a tail has more workers than there are cores. */
  readonly oversubscribed: boolean;
  readonly survey: Survey<unknown, unknown> | Tail<unknown, unknown, unknown>;
  /** Where its processes run, and what counts bytes there; absent where that is the lab's own. */
  readonly host?: HostPlan;
  readonly counters?: HeldCounters;
  readonly runtimes?: readonly [RacedRuntime];
}

export interface Plan {
  readonly seed: number;
  readonly profile: Profile;
  readonly size: "full" | "smoke";
  readonly patienceMs: number;
  /** Time for all racing, in ms, which groups share (see estimate.ts); Infinity where only `forks` ends it. */
  readonly budgetMs: number;
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
  /** Time for all racing together, in ms; what the profile gives each cell if absent. */
  readonly budgetMs?: number | undefined;
  readonly size: "full" | "smoke";
  readonly seed: number;
  readonly aaControls: number;
  readonly patienceMs: number;
  /** Competitors by primitive, where they are those of another folder than this one's structures. */
  readonly competitors?: ReadonlyMap<string, readonly Entry[]>;
  /** Competitors from outside the repository, by primitive. */
  readonly candidates: ReadonlyMap<string, readonly Entry[]>;
  /** What is known of competitors and candidates, by their URL; who is not in here takes part everywhere. */
  readonly described: ReadonlyMap<string, Described>;
  /** Where runtimes are installed, if not where `npm run runtimes` puts them. */
  readonly runtimesFolder?: string;
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
  /**
   * Why it races only where it is asked for, if it does: by --all, or by a filter that names the scenario of a variant, or
   * the competitor itself where that is no contender.
   */
  readonly onlyAsked: "variant" | "no contender" | undefined;
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
          const onlyAsked = onlyAskedOf(entry, primitive, scenario, request);
          const absent = absences.get(entry);
          cells.push({ name, suite: loaded, scenario, entry, workers, offered, onlyAsked, absent });
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
 * Why a competitor does not take part in a scenario. The baseline, to which all others refer, always does, but where
 * nobody can.
 */
function absenceOf({ name, url }: Entry, scenario: Scenario, request: Omit<Request, "filters">) {
  const runtime = scenario.kind === "survey" ? scenario.runtime : undefined;
  if (runtime !== undefined && startOf(runtime, request.runtimesFolder) === undefined)
    return notInstalled(runtime);
  return name === scenario.baseline ? undefined : describedIn(scenario, url, request).absent;
}

/** What is known of the competitor in the module at `url`, in one scenario. */
export function describedIn(
  scenario: Scenario,
  url: string,
  { described, size }: Pick<Request, "described" | "size">,
): DescribedIn {
  return described.get(url)?.scenarios[scenario.scenario] ?? unknownIn(scenario, size);
}

/**
 * The cells that the request's filters choose: of every primitive (all of them, without filters) the headline
 * scenarios, without variants and with contenders alone, unless --all asks for the rest or a filter names a scenario or, of
 * one that has contenders, the competitor. Absent competitors are among them, and so are those that nobody asked for.
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

export function makePlan(request: Request): Plan {
  const groups: GroupPlan[] = [];
  const simulations: SimulationPlan[] = [];
  const surveys: SurveyPlan[] = [];
  const bySection = Map.groupBy(chosenCells(request), ({ suite, scenario, workers }) =>
    [suite.suite.primitive, scenario.scenario, workers].join("/"),
  );
  const sectionsOf = Map.groupBy(bySection.values(), ([first]) => first!.scenario);
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
    const bytesPerWorker = (url: string) => describedIn(scenario, url, request).bytesPerWorker;
    if (scenario.kind === "survey" || scenario.kind === "tail") {
      const [threads, mostForks] =
        scenario.kind === "tail" ? [scenario.workers, undefined] : [1, scenario.mostForks];
      surveys.push({
        ...common,
        entries: baselineFirst(entries, scenario.baseline),
        forks: Math.min(request.profile.surveys, mostForks ?? request.profile.surveys),
        bytes: threads * Math.max(...entries.map(({ url }) => bytesPerWorker(url))),
        oversubscribed: threads > request.cores,
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
    const params = scenario.params[request.size];
    const isLarge = scenario.isLarge?.(params) ?? false;
    const placementOf = ({ url }: Entry): Placement => describedIn(scenario, url, request).placement;
    const rivals = entries.filter(({ name }) => name !== baseline.name);
    // Where everything fits the caches, a few objects beside the words do no harm.
    const isMovable = (entry: Entry) => !isLarge || placementOf(entry) !== "objects";
    const rows = (rivals.length + request.aaControls) * sectionsOf.get(scenario)!.length;
    const groupsOf = (members: readonly Entry[], placement: GroupPlan["placement"]): GroupPlan[] => {
      const most = rivalsPerGroup(workers!, request.aaControls, placement);
      return shares(members, most).map((share) => {
        const crews = crewsOf(baseline, share, workers!, request.aaControls, (entry) =>
          placement === "arena" && placementOf(entry) === "arena" ? "arena" : "own",
        );
        const bytes = crews.reduce(
          (sum, { url }) => sum + (url === undefined ? 0 : workers! * bytesPerWorker(url)),
          0,
        );
        const sets = {
          isLarge,
          placement,
          // What is long at full size is not at smoke size.
          leastSliceUs: request.size === "full" ? 1000 * (scenario.sliceMs ?? 0) : 0,
        };
        return {
          ...common,
          workers: workers!,
          ...timing(request.profile, sets, workers!, request.cores, crews, bytes),
          accountEvery: ROUNDS_PER_ACCOUNT,
          precision: request.profile.precision,
          rows,
          placement,
          crews,
          bytes,
          race: scenario,
        };
      });
    };
    const [moved, unmoved] = [rivals.filter(isMovable), rivals.filter((entry) => !isMovable(entry))];
    // A baseline that cannot be moved has everybody compared with it where it lies.
    if (!isMovable(baseline)) groups.push(...groupsOf(rivals, "own"));
    else {
      if (moved.length > 0 || unmoved.length === 0) groups.push(...groupsOf(moved, "arena"));
      if (unmoved.length > 0) groups.push(...groupsOf(unmoved, "own"));
    }
  }
  const { seed, profile, size, patienceMs } = request;
  const visited = new Set([...groups, ...simulations, ...surveys].map(({ primitive }) => primitive));
  const overviews = request.suites.flatMap(
    ({ suite: { primitive, scenarios, overview } }): OverviewPlan[] => {
      if (overview === undefined || !visited.has(primitive)) return [];
      checkOverview(primitive, overview, scenarios);
      const variants = contestantsOf(primitive, request)
        .filter(({ url }) => request.described.get(url)?.variantOf !== undefined)
        .map(({ name }) => name);
      return [{ primitive, overview, variants }];
    },
  );
  const budgetMs = request.budgetMs ?? budgetOf(profile, groups);
  const common = { seed, profile, size, patienceMs, budgetMs };
  return { ...common, groups: shortestFirst(groups), simulations, surveys, overviews };
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

/** What a profile gives all these groups, in ms. */
export function budgetOf({ secondsPerCell, exactly }: Profile, groups: readonly GroupPlan[]): number {
  if (exactly !== undefined) return Number.POSITIVE_INFINITY;
  return 1000 * secondsPerCell * groups.reduce((sum, group) => sum + weightOf(group), 0);
}

/** A group's part of what a budget has beyond its fewest forks, in cells: with larger sets or longer slices they count double. */
export function weightOf({ crews, sliceUs }: Pick<GroupPlan, "crews" | "sliceUs">): number {
  return crews.filter(({ url }) => url !== undefined).length * (sliceUs > CONTENDED_SLICE_US ? 2 : 1);
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
 * In which order the crews of a fork run, as indices, round by round, drawn anew for each. No crew has a place of its own: the
 * baseline and its A/A controls run once a round, as every rival does. Every odd round is the reverse of the one before, so
 * that each crew runs before and after each other equally often. The engine's own crews run at the end of every fourth
 * round, and at the beginning of its reverse.
 */
export function roundOrders(
  crews: readonly Pick<CrewPlan, "kind">[],
  rounds: number,
  seed: number,
): number[][] {
  const random = new Random(seed);
  const indices = [...crews.keys()];
  const contestants = indices.filter((crew) => CONTESTANTS.has(crews[crew]!.kind));
  const own = indices.filter((crew) => !contestants.includes(crew));
  const orders: number[][] = [];
  while (orders.length < rounds) {
    const order = [
      ...random.shuffle([...contestants]),
      ...(orders.length % OWN_CREWS_EVERY === 0 ? random.shuffle([...own]) : []),
    ];
    orders.push(order, order.toReversed());
  }
  return orders.slice(0, rounds);
}

const CONTESTANTS: ReadonlySet<CrewKind> = new Set(["baseline", "aa-control", "rival"]);

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
export function forkEstimateMs(group: TimedGroup & Pick<GroupPlan, "rounds">): number {
  const processStartMs = 250;
  const threadStartMs = 35;
  const warmUpMs = 10;
  // Where crews do not share memory, each makes a large set of its own.
  const largeSetMs = group.rampUs === REFILL_US ? 200 : 0;
  // Several workers take longer to be woken and to meet than a round has room for.
  const meetingUs = group.crews.some(({ workers }) => workers > 1) ? 350 : 0;
  const threads = group.crews.reduce((sum, { workers }) => sum + workers, 0);
  const remote = group.crews.filter(({ host }) => host !== undefined).length / group.crews.length;
  const besidesUs = slicesPerRound(group) * (remote * ACROSS_PROCESSES_US + meetingUs);
  const slicesMs = (group.rounds * (roundUs(group) + besidesUs)) / 1000;
  const processes = 1 + new Set(group.crews.flatMap(({ host }) => host?.name ?? [])).size;
  const racing = group.crews.filter(({ url }) => url !== undefined).length;
  const crewsMs = group.crews.length * warmUpMs + racing * largeSetMs;
  return processes * processStartMs + threads * threadStartMs + crewsMs + slicesMs;
}

/** What the length of a round depends on. */
type TimedGroup = Pick<GroupPlan, "crews" | "sliceUs" | "rampUs" | "oversubscribed" | "bytes" | "placement">;

/** How many slices a round has, of all crews together. */
function slicesPerRound({ crews }: Pick<TimedGroup, "crews">): number {
  const contestants = crews.filter(({ kind }) => CONTESTANTS.has(kind)).length;
  return Math.max(1, contestants + (crews.length - contestants) / OWN_CREWS_EVERY);
}

/** How long a round takes in the fork itself, in us. */
function roundUs(group: TimedGroup): number {
  const { crews, sliceUs, rampUs, oversubscribed, bytes, placement } = group;
  const copiedUs = placement === "arena" ? (2 * bytes) / crews.length / COPIED_BYTES_PER_US : 0;
  // Where workers must take turns on the cores, getting all of them through the gate and out again takes their turns.
  const betweenUs = oversubscribed
    ? 2_000 * Math.max(...crews.map(({ workers }) => workers))
    : BETWEEN_SLICES_US;
  return slicesPerRound(group) * (sliceUs + rampUs + copiedUs + betweenUs);
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

/** How long the slices of a group are, how many rounds of them a fork has, and how many forks there may be. */
function timing(
  { exactly }: Profile,
  {
    isLarge,
    placement,
    leastSliceUs,
  }: { readonly isLarge: boolean; readonly placement: GroupPlan["placement"]; readonly leastSliceUs: number },
  workers: number,
  cores: number,
  crews: readonly CrewPlan[],
  bytes: number,
) {
  const oversubscribed = workers > cores;
  const smallUs = workers === 1 ? SLICE_US : CONTENDED_SLICE_US;
  const usualUs = !isLarge ? smallUs : placement === "arena" ? LARGE_SLICE_US : REFILLED_SLICE_US;
  const sliceUs = Math.max(usualUs, leastSliceUs, oversubscribed ? OVERSUBSCRIBED_SLICE_US : 0);
  const rampUs = isLarge && placement === "own" ? REFILL_US : SHORT_RAMP_US;
  const group = { crews, sliceUs, rampUs, oversubscribed, bytes, placement };
  return {
    oversubscribed,
    sliceUs,
    rampUs,
    ...roundsOf(group, isLarge, exactly),
    ...(exactly?.warmUpSlices === undefined ? {} : { warmUpSlices: exactly.warmUpSlices }),
    forks: exactly?.forks ?? MOST_FORKS,
  };
}

/** How many rounds of slices make a fork. */
function roundsOf(
  group: TimedGroup,
  isLarge: boolean,
  exactly: Profile["exactly"],
): Pick<GroupPlan, "rounds" | "mostRounds"> {
  const { crews, oversubscribed } = group;
  if (exactly !== undefined) return { rounds: exactly.rounds, mostRounds: exactly.rounds };
  const isAlone = crews.every(({ workers }) => workers === 1);
  const smallForkMs = isAlone ? FORK_SLICES_MS : CONTENDED_FORK_SLICES_MS;
  const largeForkMs = group.placement === "arena" ? LARGE_FORK_SLICES_MS : UNMOVED_FORK_SLICES_MS;
  const forkMs = isLarge || oversubscribed ? largeForkMs : smallForkMs;
  const fitting = 2 * Math.round((1000 * forkMs) / roundUs(group) / 2);
  const rounds = Math.min(MOST_ROUNDS, Math.max(FEWEST_ROUNDS, fitting));
  // Two cores are seldom quiet at once, and far memory costs about the same in either state.
  const isWorthWaiting = isAlone && group.placement === "arena";
  return { rounds, mostRounds: isWorthWaiting ? MOST_TIMES_ROUNDS * rounds : rounds };
}

/** A group with other crews than it was planned with: of one competitor beside itself, say. */
export function withCrews(
  group: GroupPlan,
  crews: readonly CrewPlan[],
  { profile, described, size }: Pick<Request, "profile" | "described" | "size">,
): GroupPlan {
  const { race } = group;
  const bytesOf = ({ url, workers }: CrewPlan) =>
    url === undefined ? 0 : workers * describedIn(race, url, { described, size }).bytesPerWorker;
  const bytes = crews.reduce((sum, crew) => sum + bytesOf(crew), 0);
  const isLarge = race.isLarge?.(race.params[size]) ?? false;
  return { ...group, crews, bytes, ...roundsOf({ ...group, crews, bytes }, isLarge, profile.exactly) };
}

/** How many rivals may share a group. */
export function rivalsPerGroup(
  workers: number,
  aaControls: number,
  placement: GroupPlan["placement"],
): number {
  const crews = Math.floor((MAX_CREW_THREADS - LONE_CREWS) / workers);
  const most = placement === "arena" ? MAX_RIVALS : MAX_RIVALS_OF_OBJECTS;
  return Math.min(most, Math.max(1, crews - (FEWEST_CREWS - 1) - aaControls));
}

/** The crews of a group: the contestants, and beside them those that the engine brings along. */
export function crewsOf(
  baseline: Entry,
  rivals: readonly Entry[],
  workers: number,
  aaControls: number,
  placementOf: (entry: Entry) => CrewPlan["placement"] = () => "arena",
): CrewPlan[] {
  const crew = (entry: Entry, kind: CrewKind, name = entry.name): CrewPlan => {
    return { name, kind, url: entry.url, workers, placement: placementOf(entry) };
  };
  const own = (name: string, kind: CrewKind, count: number): CrewPlan => {
    return { name, kind, url: undefined, workers: count, placement: "arena" };
  };
  return [
    crew(baseline, "baseline"),
    ...Array.from({ length: aaControls }, (_, index) =>
      crew(baseline, "aa-control", `${baseline.name}~aa${index + 1}`),
    ),
    ...rivals.map((entry) => crew(entry, "rival")),
    own("~control", "control", workers),
    ...(workers > 1 ? [own("~control-alone", "control-alone", 1)] : []),
    own("~empty", "empty", 1),
  ];
}

/** Deals `items` into as few shares of at most `most` as will do, of nearly equal size; one empty share for none. */
export function shares<T>(items: readonly T[], most: number): T[][] {
  const count = Math.max(1, Math.ceil(items.length / most));
  return Array.from({ length: count }, (_, share) => items.filter((_, index) => index % count === share));
}

function baselineFirst(entries: readonly Entry[], baseline: string): Entry[] {
  return entries.toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline));
}

/**
 * The one-worker races among the cells that a request chooses. Throws a UsageError if there are none, where what was
 * asked for is simulated, surveyed, or needs company.
 */
export function loneRaces(request: Request): Cell[] {
  const cells = chosenCells(request).filter(
    ({ scenario, workers, absent }) => scenario.kind === "race" && workers === 1 && absent === undefined,
  );
  if (cells.length > 0) return cells;
  throw new UsageError(
    "no cell asked for is a race of one worker, which is all that a library can measure: ask for others (npm run bench -- --list --all shows every one)",
  );
}
