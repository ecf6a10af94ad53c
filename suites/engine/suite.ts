import type { Seat } from "../../structures/shared/seat.ts";

/**
 * The vocabulary a `*.suite.ts` is written in. A suite is a primitive's scenarios; a scenario is either a race, whose
 * cells get a time measured by worker threads, or a simulation, whose cells get series and metrics without a clock.
 *
 * Everything here is imported again in each fork and each worker by the suite's file name, so a suite module must do
 * nothing but describe.
 */
export interface Suite {
  readonly primitive: string;
  readonly scenarios: readonly Scenario[];
}

export type Scenario = Race<unknown, unknown, unknown> | Simulation<unknown, unknown>;

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
  readonly params: Sizes<Params>;
}

/** What both ends of a race know. */
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
 * Thread rules: `prepare` and `law` run on the fork's main thread while the crew is parked, `attach` and what it
 * returns run on one worker each. `Shared` crosses by structured clone, so it holds plain data and views of
 * SharedArrayBuffers.
 */
export interface Race<Competitor, Params, Shared> extends Described<Params> {
  readonly kind: "race";
  /** What one operation is, for the legend: "pick". */
  readonly operation: string;
  /** The competitor to which every ratio of this scenario refers. */
  readonly baseline: string;
  /** Smallest crew that makes sense; 1 if absent. */
  readonly minWorkers?: number;
  /** Largest crew that makes sense; any if absent. */
  readonly mostWorkers?: number;
  /** Why a competitor does not take part, in a few words that the table can print; undefined where it does. */
  absent?(competitor: Competitor, params: Params): string | undefined;
  /**
   * Least length of a slice, for operations so long that the profile's would hold few: workers start and stop on whole
   * operations, so a slice should hold forty or more. Absent where an operation takes less than 0.1 ms.
   */
  readonly sliceMs?: number;
  /** Primitive-specific columns, made from what `Runner.counters` reports under the same key. */
  readonly columns?: Readonly<Record<string, Column>>;
  /** Role of the worker at `index`; absent where all workers do the same. Each role gets a figure of its own. */
  role?(index: number, workers: number): string;
  /** Allocates and formats what the crew shares. Called once per crew. */
  prepare(competitor: Competitor, setup: Setup<Params>): Shared;
  /** Joins one worker to the shared structure (or builds its private one). Called once per worker. */
  attach(competitor: Competitor, setup: Setup<Params>, shared: Shared, seat: Seat): Runner;
  /**
   * Checks after every slice that the structure did its work. Returns undefined, or one sentence that says which law
   * broke and by how much; then the cell has no number.
   */
  law(
    competitor: Competitor,
    setup: Setup<Params>,
    shared: Shared,
    work: readonly WorkDone[],
  ): string | undefined;
}

/** One worker's body. */
export interface Runner {
  /**
   * Runs `operations` operations and returns their checksum: the sum of their results as an int32 (wrapping). A sum
   * rather than an XOR, because it is as good at keeping the work alive and a law can also predict it.
   */
  run(operations: number): number;
  /** Totals since `attach`, by name. Called only while the crew is at rest. */
  counters?(): Readonly<Record<string, number>>;
}

/** All that one worker has done since `attach`, ramps and warm-up included. */
export interface WorkDone {
  readonly role: string;
  readonly operations: number;
  /** Sum of everything `run` returned, as an int32 (wrapping). */
  readonly checksum: number;
  readonly counters: Readonly<Record<string, number>>;
}

export interface Column {
  readonly title: string;
  readonly unit: string;
  /**
   * `per-op`: growth of the counter over a slice divided by the operations of that slice, all workers together.
   * `level`: the counter itself at the end of a slice, the largest among workers.
   */
  readonly reduce: "per-op" | "level";
}

/** A clockless scenario: seed in, series and metrics out, the same on every machine to the last digit. */
export interface Simulation<Competitor, Params> extends Described<Params> {
  readonly kind: "simulation";
  /** The competitor shown first, to which the others are held: an optimum or the source document's own choice. */
  readonly baseline: string;
  readonly metrics: Readonly<Record<string, Metric>>;
  /** As in a race. */
  absent?(competitor: Competitor, params: Params): string | undefined;
  run(competitor: Competitor, params: Params, seed: number): Outcome;
  /** As in a race: undefined, or one sentence that says which law broke; then the cell has no number. */
  law(competitor: Competitor, params: Params, outcome: Outcome): string | undefined;
}

export interface Metric {
  readonly title: string;
  readonly unit: string;
  /** Digits after the point in tables. */
  readonly digits: number;
}

export interface Outcome {
  /** One number for every key of `Simulation.metrics`. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, readonly number[]>>;
}

/** Describes a race; fixes its types and then forgets them, so that suites of all primitives fit one list. */
export function race<Competitor, Params, Shared>(
  description: Omit<Race<Competitor, Params, Shared>, "kind">,
): Scenario {
  return { kind: "race", ...description } as Race<Competitor, Params, Shared> as Scenario;
}

export function simulation<Competitor, Params>(
  description: Omit<Simulation<Competitor, Params>, "kind">,
): Scenario {
  return { kind: "simulation", ...description } as Simulation<Competitor, Params> as Scenario;
}
