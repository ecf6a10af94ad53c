/**
 * The vocabulary that races are written in. A race is work that threads do, with a law that proves it was done. It is imported
 * again in each process and each thread, so that its module must do nothing but describe.
 */

/** Parameters in two sizes: `full` is raced, `smoke` is small enough to run inside the tests. */
export interface Sizes<Params> {
  readonly full: Params;
  readonly smoke: Params;
}

/** What a scenario says of itself, whatever is done in it. */
export interface DescribedScenario<Params> {
  /** The middle of a cell's name, unique in its suite: `uniform-8`. */
  readonly scenario: string;
  /** One sentence for the heading of its table. */
  readonly title: string;
  /** Whether it is raced where nothing is asked for. */
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
  /** Which fork this is, from 0. Forks are replicates: what depends on it counts as their scatter. */
  readonly fork: number;
}

/**
 * One body on N workers.
 *
 * Thread rules: `prepare` and `law` run on the fork's main thread while the crew is parked. `attach` and what it
 * returns run on one worker each. `Shared` crosses by structured clone, so it holds plain data and views of
 * SharedArrayBuffers.
 */
export interface Race<Competitor, Params, Shared> extends DescribedScenario<Params> {
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
   * Where a competitor's words lie. `arena`: all that it and its workload write stands in regions that the
   * lab allocates (see `Lab.load`). All crews of a process can then use the same memory in turn; the default. `own`: it
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
 * How a program is started: the executable, and the arguments before the program's own path.
 * @internal
 */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
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
