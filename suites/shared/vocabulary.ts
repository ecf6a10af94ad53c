import type { DescribedScenario, Race, Sizes, Start } from "../engine/race.ts";
import { present } from "../engine/words/present.ts";

/**
 * The vocabulary suites are written in. A suite is a primitive's scenarios. A scenario is a race, a simulation or a
 * survey. A race's cells get a time measured by worker threads. A simulation's cells get series and metrics without a
 * clock. A survey's cells get what a time per operation cannot show: bytes, and the longest pause. A tail is a survey
 * of the times of single operations.
 *
 * A scenario is imported again in each fork and each worker, by its suite's file name and its own. So its module must
 * do nothing but describe.
 */
export interface Suite {
  readonly primitive: string;
  readonly scenarios: readonly Scenario[];
  /** The table that a page begins with: what a reader who looks for an answer wants to see side by side. */
  readonly overview?: Overview;
}

/**
 * What a `suite.ts` exports. The scenarios stand in files beside it, `scenarios/<name>.ts`. The default export of each
 * is a scenario, or a list of them where they are points of a curve. There is no list of them.
 */
export interface SuiteModule extends Omit<Suite, "scenarios"> {
  /** Names of files in the order in which pages have their scenarios. Scenarios that it does not name follow. */
  readonly order?: readonly string[];
}

/** One row for each competitor that has a cell in any of its columns, variants left out. */
export interface Overview {
  readonly title: string;
  readonly columns: readonly OverviewColumn[];
}

/** A figure of one scenario of the suite: a metric of a simulation or a survey, or a time of a race. */
export type OverviewColumn = {
  readonly title: string;
  readonly unit: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly scenario: string;
} & (OfMetric | OfRace);

interface OfMetric {
  /** Key of a metric of a simulation or a survey: the median over its seeds or processes. */
  readonly metric: string;
  readonly workers?: never;
}

interface OfRace {
  /** Worker count of a race: the median of what one worker waits for one operation, in ns. */
  readonly workers: number;
  readonly metric?: never;
}

export type Scenario =
  | Race<unknown, unknown, unknown>
  | Simulation<unknown, unknown>
  | Survey<unknown, unknown>
  | Tail<unknown, unknown, unknown>;

/** A clockless scenario: seed in, series and metrics out, the same on every machine to the last digit. */
export interface Simulation<Competitor, Params> extends DescribedScenario<Params> {
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
 */
export interface Survey<Competitor, Params> extends DescribedScenario<Params> {
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
 */
export interface Tail<Competitor, Params, Shared> extends DescribedScenario<Params> {
  readonly kind: "tail";
  /** The race whose operations are timed, one for each call of `run`. Its law is checked when all are done. */
  readonly race: Race<Competitor, Params, Shared>;
  /** Tails of one family ask the same at several worker counts. */
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

/** What a survey measures with. */
export interface Instruments {
  /** Monotonic, in ns. */
  nowNs(): number;
  /** Bytes that the process holds on its heap, in buffers beside it and in WebAssembly memories, after a full collection. */
  heldBytes(): number;
  /** Module of the competitor, its default export: for threads and processes of the scenario's own. */
  readonly competitorUrl: string;
  /** How a process of the scenario's runtime is started. */
  readonly start: Start;
}

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

/** How series are drawn. All that it names are keys of `Outcome.series`, which every outcome must have, of one length. */
export type SeriesChart = {
  /** What the values are, and in what unit: "messages", "messages/s". */
  readonly title: string;
  readonly unit: string;
  /** Time from one value to the next, in seconds. */
  readonly stepSeconds: number;
  /** Time of the first value, in seconds; 0 if absent. */
  readonly fromSeconds?: number;
} & (Band | Lines);

/** Two series as the lower and the upper edge of a band; the same twice is drawn as a line. */
interface Band {
  readonly low: string;
  readonly high: string;
  readonly lines?: never;
}

/** Lines in one frame, four at most; each value is drawn, so that a few hundred are enough. */
interface Lines {
  readonly lines: readonly ChartLine[];
  readonly low?: never;
  readonly high?: never;
}

export interface ChartLine {
  readonly key: string;
  /** For the legend. */
  readonly title: string;
}

export interface Outcome {
  /** A number for each key of `Simulation.metrics`, except keys without a value here: these never happened. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, readonly number[]>>;
  /** What else the law has to look at. Not recorded. */
  readonly evidence?: unknown;
}

export function simulation<Competitor, Params>(
  description: Omit<Simulation<Competitor, Params>, "kind">,
): Scenario {
  return { kind: "simulation", ...description } as Simulation<Competitor, Params> as Scenario;
}

export function survey<Competitor, Params>(description: Omit<Survey<Competitor, Params>, "kind">): Scenario {
  return { kind: "survey", ...description } as Survey<Competitor, Params> as Scenario;
}

/** The tail of a race at some worker count. The race itself need not be a scenario of the suite. */
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
    ...present({ absent, bytesPerWorker }),
  };
}
