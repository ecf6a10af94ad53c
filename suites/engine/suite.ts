/**
 * The vocabulary suites are written in. A suite is a primitive's scenarios. A scenario is a race, a simulation or a
 * survey. A race's cells get a time measured by worker threads. A simulation's cells get series and metrics without a
 * clock. A survey's cells get what a time per operation cannot show: bytes, and the longest pause. A tail is a survey
 * of the times of single operations.
 *
 * A scenario is imported again in each fork and each worker, by its suite's file name and its own. So its module must
 * do nothing but describe.
 * @internal
 */
export interface Suite {
  readonly primitive: string;
  readonly scenarios: readonly Scenario[];
  /** The table that a page begins with: what a reader who looks for an answer wants to see side by side. */
  readonly overview?: Overview;
  /**
   * Titles that described the work wrongly, or the common beginnings of several, each with today's words for the same.
   * Records with the old titles are shown under today's. Not for a scenario whose work was changed: its records are of
   * other work.
   */
  readonly formerTitles?: Readonly<Record<string, string>>;
}

/**
 * What a `suite.ts` exports. The scenarios stand in files beside it, `scenarios/<name>.ts`. The default export of each
 * is a scenario, or a list of them where they are points of a curve. There is no list of them.
 * @internal
 */
export interface SuiteModule extends Omit<Suite, "scenarios"> {
  /** Names of files in the order in which pages have their scenarios. Scenarios that it does not name follow. */
  readonly order?: readonly string[];
}

/**
 * One row for each competitor that has a cell in any of its columns, variants left out.
 * @internal
 */
export interface Overview {
  readonly title: string;
  readonly columns: readonly OverviewColumn[];
}

/**
 * A figure of one scenario of the suite: a metric of a simulation or a survey, or a time of a race.
 * @internal
 */
export type OverviewColumn = {
  readonly title: string;
  readonly unit: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly scenario: string;
} & (OfMetric | OfRace);

/** @internal */
interface OfMetric {
  /** Key of a metric of a simulation or a survey: the median over its seeds or processes. */
  readonly metric: string;
  readonly workers?: never;
}

/** @internal */
interface OfRace {
  /** Worker count of a race: the median of what one worker waits for one operation, in ns. */
  readonly workers: number;
  readonly metric?: never;
}

/** @internal */
export type Scenario =
  | Race<unknown, unknown, unknown>
  | Simulation<unknown, unknown>
  | Survey<unknown, unknown>
  | Tail<unknown, unknown, unknown>;

/** Parameters in two sizes: `full` is raced, `smoke` is small enough to run inside the tests. */
export interface Sizes<Params> {
  readonly full: Params;
  readonly smoke: Params;
}

interface Described<Params> {
  /** The middle of a cell's name, unique in its suite: `uniform-8`. */
  readonly scenario: string;
  /** One sentence for the heading of its table. */
  readonly title: string;
  /** Whether `npm run bench` without arguments includes it. */
  readonly headline: boolean;
  /**
   * The same for scenarios that do alike at smoke size: tests run one of them, and the nightly all.
   * @internal
   */
  readonly alike?: string;
  readonly params: Sizes<Params>;
}

/**
 * A race that asks the same question at several sizes is a point of a curve, drawn over all of them.
 * @internal
 */
export interface CurvePoint {
  /** Name of the curve, the same for all its points: `refresh`. */
  readonly curve: string;
  /** What grows along it: "connections". */
  readonly along: string;
  readonly at: number;
}

/** The fields that both ends of a race know. */
export interface Setup<Params> {
  readonly params: Params;
  readonly workers: number;
  /** uint32 from which this crew's shared workload derives; the same for every competitor in a fork. */
  readonly seed: number;
  /** Which fork this is, from 0: lets a scenario spread its starting states (wrap points, say) over forks. */
  readonly fork: number;
}

/**
 * One body on N workers.
 *
 * Thread rules: `prepare` and `law` run on the fork's main thread while the crew is parked. `attach` and what it
 * returns run on one worker each. `Shared` crosses by structured clone, so it holds plain data and views of
 * SharedArrayBuffers.
 */
export interface Race<Competitor, Params, Shared> extends Described<Params> {
  readonly kind: "race";
  /** What one operation is, for the legend: "pick". */
  readonly operation: string;
  /** The competitor to which every ratio of this scenario refers. */
  readonly baseline: string;
  /**
   * The competitors that race where none is named: the baseline and at most ten rivals, where more take part than a reader
   * has time for. The others race with --all or by name, and variants among them with what is named here. All if absent.
   * @internal
   */
  readonly contenders?: readonly string[];
  /** Smallest crew that makes sense; 1 if absent. */
  readonly minWorkers?: number;
  /** Largest crew that makes sense; any if absent. */
  readonly mostWorkers?: number;
  /** Why a competitor does not take part, in a few words that the table can print; undefined where it does. */
  absent?(competitor: Competitor, params: Params): string | undefined;
  /**
   * Least length of a slice, in ms, where it has to be longer than usual. Workers start and stop on whole operations,
   * so a slice should hold twenty or more that take 0.01 ms or longer. Where a structure does some of its work now and
   * then, all at once, each slice should hold that a few times. The median of slices would leave it out otherwise.
   */
  readonly sliceMs?: number;
  /**
   * Whether structure and workload are larger than the nearest caches of a core (some 100 kB and more). Then slices are
   * longer, and a competitor's `placement` matters.
   */
  isLarge?(params: Params): boolean;
  /**
   * Where a competitor's words lie. `arena`: all that it and its workload write stands in regions and columns of
   * structures/shared/layout.ts. All crews of a process can then use the same memory in turn; the default. `own`: it
   * cannot be moved between slices, because a thread of its own uses its words at any time. `objects`: it, or a part of
   * it that counts, lives on the engine's heap and cannot be moved.
   * @internal
   */
  placement?(competitor: Competitor, params: Params): Placement;
  /**
   * Most bytes that one worker of a competitor's crew holds, structure and workload. Where a group needs more than the
   * machine has free, its cells say so instead of bringing the machine down. Absent where that is a few megabytes.
   * @internal
   */
  bytesPerWorker?(competitor: Competitor | undefined, params: Params): number;
  /** @internal */
  readonly point?: CurvePoint;
  /**
   * Primitive-specific columns, made from what `Runner.counters` reports under the same key.
   * @internal
   */
  readonly columns?: Readonly<Record<string, Column>>;
  /**
   * How many operations each worker runs one by one, after some slices, for the law to see what each returned. It
   * happens in each round with an account, which no worker knows beforehand. Fewer are run where they take long. Absent
   * where totals are enough, and not for runners that `prepare`.
   */
  readonly excerpt?: number;
  /**
   * How many threads `prepare` starts for a competitor, beside its workers; none if absent. One that starts more has no number.
   * @internal
   */
  threads?(competitor: Competitor, params: Params): number;
  /** Role of the worker at `index`; absent where all workers do the same. Each role gets a figure of its own. */
  role?(index: number, workers: number): string;
  /** Allocates and formats what the crew shares. Called once per crew. */
  prepare(competitor: Competitor, setup: Setup<Params>): Shared;
  /** Joins one worker to the shared structure (or builds its private one). Called once per worker. */
  attach(competitor: Competitor, setup: Setup<Params>, shared: Shared, worker: WorkerIdentity): Runner;
  /**
   * In the place of `attach`, for a competitor whose operations return promises; undefined where they do not. Absent where
   * no competitor's do. Not for races with an `excerpt`.
   */
  attachAsync?(
    competitor: Competitor,
    setup: Setup<Params>,
    shared: Shared,
    worker: WorkerIdentity,
  ): AsyncRunner | undefined;
  /**
   * Checks that the structure did its work, on all that was done since `attach`. It runs in the first round of each
   * process and its last, and in one of each `accountEvery` between, which the plan's seed chooses. Returns undefined,
   * or one sentence that says which law broke and by how much; then the cell has no number.
   */
  law(
    competitor: Competitor,
    setup: Setup<Params>,
    shared: Shared,
    work: readonly WorkDone[],
  ): string | undefined;
}

/**
 * See `Race.placement`.
 * @internal
 */
export type Placement = "arena" | "own" | "objects";

/** One worker's body. */
export interface Runner {
  /**
   * Runs `operations` operations and returns their checksum: the sum of their results as an int32 (wrapping). A sum
   * rather than an XOR: it keeps the work alive as well, and a law can also predict it.
   */
  run(operations: number): number;
  /**
   * Brings the structure to where `run(operations)` can do that many once more: fills what it will empty, say. Called
   * before each `run`; its time is measured and left out. Only where one worker runs alone: beside others the time left
   * out would be time without contention.
   */
  prepare?(operations: number): void;
  /** The most operations that one `run` may be asked for; as many as make a batch if absent. */
  readonly mostOperations?: number;
  /**
   * Worker 0's are called before each slice of its crew and after it, while the whole crew is at rest. A thread of the
   * structure's own runs from `resume` to `rest`, and takes no core from other crews.
   */
  resume?(): void;
  rest?(): void;
  /** Totals since `attach`, by name. Called only while the crew is at rest. */
  counters?(): Readonly<Record<string, number>>;
}

/**
 * The body of a worker whose operations return promises. Each is awaited before the next one begins. Only for one worker
 * alone: the time of others would pass while one waits.
 */
export interface AsyncRunner extends Omit<Runner, "run" | "prepare"> {
  /** As `Runner.run`; resolves when the last operation has. */
  runAsync(operations: number): Promise<number>;
  /** As `Runner.prepare`. A promise that it returns is awaited, and its time is left out too. */
  prepare?(operations: number): void | Promise<void>;
}

/** All that one worker has done since `attach`, ramps and warm-up included. */
export interface WorkDone {
  readonly role: string;
  readonly operations: number;
  /** Sum of everything `run` returned, as an int32 (wrapping). */
  readonly checksum: number;
  readonly counters: Readonly<Record<string, number>>;
  /** What it had done at each account before, in order. */
  readonly earlier?: readonly Pick<WorkDone, "operations" | "checksum">[];
  /** The last of these operations, where the race asks for them. */
  readonly excerpt?: Excerpt;
}

/** Operations that were run one by one. */
export interface Excerpt {
  /** How many the worker had run before. */
  readonly before: number;
  /** What each returned. */
  readonly results: Int32Array;
}

/** @internal */
export interface Column {
  readonly title: string;
  readonly unit: string;
  /**
   * `per-op`: growth of the counter over a slice divided by the operations of that slice, all workers together.
   * `level`: the counter itself at the end of a slice, the largest among workers. `prepared`: no counter, but the time
   * that preparing took per operation, in ns: work that the operations left to be done. `cpu`: no counter, but the
   * processor time of a slice, all workers together, per operation, in ns: less than they waited where they slept.
   */
  readonly reduce: "per-op" | "level" | "prepared" | "cpu";
}

/**
 * For scenarios in which threads may sleep.
 * @internal
 */
export const CPU_TIME: Column = { title: "CPU time", unit: "ns/op", reduce: "cpu" };

/**
 * A clockless scenario: seed in, series and metrics out, the same on every machine to the last digit.
 * @internal
 */
export interface Simulation<Competitor, Params> extends Described<Params> {
  readonly kind: "simulation";
  /** The competitor shown first, which the others are compared with: an optimum or the source document's own choice. */
  readonly baseline: string;
  readonly metrics: Readonly<Record<string, Metric>>;
  /**
   * The competitors that take part, by name and in the order of the table, with the baseline among them. For a scenario
   * that shows the effect of one choice. All of the primitive, and candidates, if absent.
   */
  readonly competitors?: readonly string[];
  /**
   * From how many seeds each cell is run at full size, 1 if absent; at smoke size from two at most. The first is the
   * plan's seed. Metrics are kept of all, series of the first alone.
   */
  readonly seeds?: number;
  /** About how long one seed takes at full size, where that is seconds. The progress line plans by it, nothing else. */
  readonly secondsPerSeed?: number;
  readonly chart?: SeriesChart;
  /** As in a race. */
  absent?(competitor: Competitor, params: Params): string | undefined;
  run(competitor: Competitor, params: Params, seed: number): Outcome;
  /** As in a race, for the outcome of one seed: undefined, or which law broke; then the cell has no number. */
  law(competitor: Competitor, params: Params, outcome: Outcome): string | undefined;
}

/**
 * What one competitor does alone in a fresh process, a few processes in turn: for figures that are not rates. Nothing
 * is paired and nothing is judged; the table shows the middle and the range over the processes.
 * @internal
 */
export interface Survey<Competitor, Params> extends Described<Params> {
  readonly kind: "survey";
  /** As in a race. */
  bytesPerWorker?(competitor: Competitor | undefined, params: Params): number;
  /** Processes for each competitor at most, where one takes long; as many as the profile has if absent. */
  readonly mostForks?: number;
  /** About how long one process takes at full size, where that is long. As in a simulation, for plans alone. */
  readonly secondsPerFork?: number;
  /** What it takes besides the lab's own Node; without it no competitor takes part. */
  readonly runtime?: "bun" | "deno";
  /** The competitor shown first. */
  readonly baseline: string;
  /** As in a simulation. */
  readonly competitors?: readonly string[];
  readonly metrics: Readonly<Record<string, Metric>>;
  /** The chart of what `run` hands to `Instruments.draw`, which it then does once. */
  readonly chart?: LinesChart;
  /** As in a race. */
  absent?(competitor: Competitor, params: Params): string | undefined;
  /** Returns a number for each key of `metrics` that the competitor has a figure for; a promise where it needs the event loop. */
  run(
    competitor: Competitor,
    params: Params,
    seed: number,
    instruments: Instruments,
  ): Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>;
  /** As in a race: undefined, or one sentence that says which law broke; then the cell has no number. */
  law(competitor: Competitor, params: Params, metrics: Readonly<Record<string, number>>): string | undefined;
}

/**
 * A survey of the times of single operations of a race. Each operation of a worker is due at a time that is fixed
 * beforehand, whether or not the previous one is done. Its response time counts from there. An operation delayed by a
 * slow one is as late as its user finds it. Counted from when it began, the wait behind the slow one would be left out
 * ("coordinated omission").
 * @internal
 */
export interface Tail<Competitor, Params, Shared> extends Described<Params> {
  readonly kind: "tail";
  /** The race whose operations are timed, one for each call of `run`. Its law is checked when all are done. */
  readonly race: Race<Competitor, Params, Shared>;
  /** Tails of one family ask the same at several worker counts, and share a picture. */
  readonly family: string;
  readonly workers: number;
  /** The role whose operations are shown, where the race's workers have roles. The others work to the same schedule. */
  readonly role?: string;
  /** Operations are due one in each interval, at a random moment of it, so that workers do not fall into step. */
  readonly intervalUs: number;
  /** Operations of each worker. */
  readonly count: Sizes<number>;
  /** As in a survey. */
  readonly baseline: string;
  readonly metrics: Readonly<Record<TailMetric, Metric>>;
  absent?(competitor: Competitor, params: Params): string | undefined;
  bytesPerWorker?(competitor: Competitor | undefined, params: Params): number;
}

/** @internal */
export type TailMetric = keyof typeof TAIL_METRICS;

const timeOf = (title: string): Metric => ({ title, unit: "us", digits: 2 });

/** Figures of every tail. `empty`: the same threads and schedule with nothing to do. */
const TAIL_METRICS = {
  p50: timeOf("p50"),
  p99: timeOf("p99"),
  p999: timeOf("p99.9"),
  max: { ...timeOf("Max"), over: "greatest" },
  serviceP999: timeOf("Service p99.9"),
  emptyP50: timeOf("Empty p50"),
  emptyP999: timeOf("Empty p99.9"),
  unserved: { title: "Unserved", unit: "%", digits: 1 },
  operations: { title: "Operations", unit: "per process", digits: 0 },
} as const satisfies Record<string, Metric>;

/**
 * How a program is started: the executable, and the arguments before the program's own path.
 * @internal
 */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * What a survey measures with.
 * @internal
 */
export interface Instruments {
  /** Monotonic, in ns. */
  nowNs(): number;
  /** Bytes that the process holds on its heap, in buffers beside it and in WebAssembly memories, after a full collection. */
  heldBytes(): number;
  /** Module of the competitor, its default export: for threads and processes of the scenario's own. */
  readonly competitorUrl: string;
  /** How a process of the scenario's runtime is started. */
  readonly start: Start;
  /** Takes what the scenario's chart draws; of several processes the first one's is kept. */
  draw(series: Outcome["series"]): void;
}

/** @internal */
export interface Metric {
  readonly title: string;
  readonly unit: string;
  /** Digits after the point in tables. */
  readonly digits: number;
  /** What the table shows of several processes: the greatest of them; the middle if absent. */
  readonly over?: "greatest";
  /**
   * What it means when an outcome lacks it. `never`: what the figure times did not happen within the time simulated, so
   * it comes later than any. Nothing can be said of it if absent.
   */
  readonly absentMeans?: "never";
}

/**
 * How series are drawn. All that it names are keys of `Outcome.series`, which every outcome must have, of one length.
 * @internal
 */
export type SeriesChart = {
  /** What the values are, and in what unit: "messages", "messages/s". */
  readonly title: string;
  readonly unit: string;
} & ((Band & OverTime) | (Lines & (OverTime | Along)));

/** @internal */
export type LinesChart = Extract<SeriesChart, Lines>;

/**
 * Two series as the lower and the upper edge of a band; the same twice is drawn as a line.
 * @internal
 */
interface Band {
  readonly low: string;
  readonly high: string;
  readonly lines?: never;
}

/**
 * Lines in one frame, four at most; each value is drawn, so that a few hundred are enough.
 * @internal
 */
interface Lines {
  readonly lines: readonly ChartLine[];
  readonly low?: never;
  readonly high?: never;
}

/** @internal */
export interface ChartLine {
  readonly key: string;
  /** For the legend. */
  readonly title: string;
}

/** @internal */
interface OverTime {
  /** Time from one value to the next, in seconds. */
  readonly stepSeconds: number;
  /** Time of the first value, in seconds; 0 if absent. */
  readonly fromSeconds?: number;
  readonly along?: never;
}

/**
 * Against what a sweep varies, each value at its place.
 * @internal
 */
interface Along {
  readonly along: {
    readonly title: string;
    readonly unit: string;
    readonly scale: "linear" | "log";
    /** Of each value, rising; above 0 on a logarithmic scale. */
    readonly at: readonly number[];
  };
  readonly stepSeconds?: never;
  readonly fromSeconds?: never;
}

/** @internal */
export interface Outcome {
  /** A number for each key of `Simulation.metrics`, except keys without a value here: these never happened. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, readonly number[]>>;
  /** What else the law has to look at. Not recorded. */
  readonly evidence?: unknown;
}

/**
 * Describes a race; fixes its types and then forgets them, so that suites of all primitives fit one list.
 *
 * @internal
 */
export function race<Competitor, Params, Shared>(
  description: Omit<Race<Competitor, Params, Shared>, "kind">,
): Race<unknown, unknown, unknown> {
  return { kind: "race", ...description } as Race<Competitor, Params, Shared> as Race<
    unknown,
    unknown,
    unknown
  >;
}

/** @internal */
export function simulation<Competitor, Params>(
  description: Omit<Simulation<Competitor, Params>, "kind">,
): Scenario {
  return { kind: "simulation", ...description } as Simulation<Competitor, Params> as Scenario;
}

/** @internal */
export function survey<Competitor, Params>(description: Omit<Survey<Competitor, Params>, "kind">): Scenario {
  return { kind: "survey", ...description } as Survey<Competitor, Params> as Scenario;
}

/**
 * The tail of a race at some worker count. The race itself need not be a scenario of the suite.
 * @internal
 */
export function tail(
  race: Race<unknown, unknown, unknown>,
  described: Pick<Tail<unknown, unknown, unknown>, "family" | "workers" | "role" | "intervalUs" | "count">,
): Scenario {
  const { family, workers, role, intervalUs } = described;
  const { title, params, baseline, absent, bytesPerWorker } = race;
  const whose = role === undefined ? "each worker" : `each worker, the ${role}'s shown`;
  return {
    kind: "tail",
    ...described,
    race,
    scenario: `${family}-${workers}`,
    title: `${title}: times of single operations, one each ${intervalUs} us of ${whose}, ${workers} worker${workers === 1 ? "" : "s"}`,
    headline: false,
    params,
    baseline,
    metrics: TAIL_METRICS,
    ...(absent === undefined ? {} : { absent }),
    ...(bytesPerWorker === undefined ? {} : { bytesPerWorker }),
  };
}

/** One worker's place in a crew, and its own stream of randomness. */
export interface WorkerIdentity {
  /** 0 .. workers - 1. */
  readonly index: number;
  readonly workers: number;
  /** What this worker does in a crew whose workers do different things; "worker" where all do the same. */
  readonly role: string;
  /** uint32, different for every worker and fork, the same for every competitor: rivals face the same workload. */
  readonly seed: number;
}

/**
 * A competitor by its name.
 * @internal
 */
export interface Entry {
  /** The competitor's name everywhere. */
  readonly name: string;
  /** `file:` URL of the module that holds the competitor (see `Lab.load`). */
  readonly url: string;
}

/** What a competitor may state about itself for plans. It needs none of them. */
export interface Traits {
  /** Name of the competitor that this one varies in a detail. A variant races only where it is asked for. */
  readonly variantOf?: string;
  /** Why this runtime cannot run it, in a few words; undefined where it can. */
  unavailable?(): string | undefined;
}
