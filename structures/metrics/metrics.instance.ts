import { assertMadeBy, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { assertWorkers } from "../shared/worker-identity.ts";
import { assertRange, Buckets, type HistogramRange, quantileOf } from "./parts/buckets.ts";
import { OwnCells, type Place, readCells } from "./parts/cells.ts";
import { assertAddable } from "./parts/checked.ts";
import { cellsOf, ownHistogram, ownLines, readHistogram, wordsOfOwnLines } from "./parts/own.ts";

/** The metrics that workers share. Names are those that Prometheus shows. */
export interface MetricsOptions<Counters extends string, Histograms extends string> {
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  /** What each counter counts, in a line: Prometheus' help text. */
  readonly counters?: Readonly<Record<Counters, string>>;
  readonly histograms?: Readonly<Record<Histograms, HistogramOptions>>;
}

/** What is left out has the value that suits latencies in seconds. */
export interface HistogramOptions {
  /** What is recorded and in which unit, in a line: Prometheus' help text. */
  readonly help: string;
  /** Smallest value that is distinguished from smaller ones, more than 0; 0.0001 if absent. */
  readonly from?: number;
  /** Largest value that is distinguished from larger ones; 100 if absent. */
  readonly to?: number;
  /** Largest relative error of a quantile between the two, 1 / 2048 .. 0.5; 1 / 32 if absent. */
  readonly error?: number;
}

/** What workers count in, and its description: plain data, which crosses to workers as it is. */
export interface MetricsInstance<Counters extends string = string, Histograms extends string = string>
  extends Stamped {
  readonly workers: number;
  readonly counters: Readonly<Record<Counters, string>>;
  readonly histograms: Readonly<Record<Histograms, HistogramRange & { readonly help: string }>>;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Counter {
  /**
   * Adds `n`, an integer in 0 .. 2^53 - 1; 1 if absent. Wait-free. Throws a TypeError for a number that is not finite,
   * a RangeError for any other.
   */
  add(n?: number): void;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Histogram {
  /**
   * Records a value of 0 or more. Wait-free. Throws a TypeError for a number that is not finite, and a RangeError for
   * one that is negative or too large for an exact sum. Values up to 2^46 times the histogram's `from` are not.
   */
  record(value: number): void;
}

export type WorkerMetrics<Counters extends string, Histograms extends string> = {
  readonly [Name in Counters]: Counter;
} & { readonly [Name in Histograms]: Histogram };

/** What all workers have counted. */
export type Readings<Counters extends string, Histograms extends string> = {
  readonly [Name in Counters]: number;
} & { readonly [Name in Histograms]: HistogramReading };

export interface HistogramReading {
  readonly count: number;
  /** Sum of the values. It is less than right by a 64th of `from` at most for each worker that has had a seat. */
  readonly sum: number;
  /** How many values are `le` or less, for each doubling and for Infinity. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  /**
   * The value below or at which the share `q`, 0 .. 1, of the values lies (nearest rank), right but for the histogram's
   * `error`. Half of the lowest `le` where it is less than that, Infinity where it is beyond the range, NaN where
   * nothing was recorded.
   */
  quantile(q: number): number;
}

/**
 * Metrics that start at 0. Throws a RangeError or a TypeError, in one line, for a name that Prometheus does not allow or
 * that would be shown twice, for a metric without help, and for a histogram's range that is none.
 */
export function makeMetrics<Counters extends string = never, Histograms extends string = never>({
  workers,
  counters = {} as Record<Counters, string>,
  histograms: asked = {} as Record<Histograms, HistogramOptions>,
}: MetricsOptions<Counters, Histograms>): MetricsInstance<Counters, Histograms> {
  assertWorkers(workers);
  assertNames(Object.keys(counters), Object.keys(asked));
  for (const [name, help] of Object.entries(counters)) assertHelp(name, help);
  const ranges = Object.entries<HistogramOptions>(asked).map(([name, options]) => {
    const { help, from = 0.0001, to = 100, error = 1 / 32 } = options;
    assertHelp(name, help);
    assertRange(name, { from, to, error });
    return [name, { help, from, to, error }];
  });
  const histograms = Object.fromEntries(ranges) as MetricsInstance<Counters, Histograms>["histograms"];
  const { cells } = layoutOf({ counters, histograms });
  const memory = allocateRegion(workers * wordsOfOwnLines(cells));
  return {
    memory,
    workers,
    counters: { ...counters },
    histograms,
    stamp: stampOf(KIND, { workers, cells }),
  };
}

/**
 * The metrics of worker `index`, 0 .. workers - 1, by their names. Called in that worker's thread. A seat has one
 * holder: another attaches after `freeSeat`, and adds to what the ones before have counted. Throws, in one line, for a
 * value that makeMetrics did not return, for an invalid index, and for a seat that is taken.
 */
export function attachMetrics<Counters extends string, Histograms extends string>(
  instance: MetricsInstance<Counters, Histograms>,
  index: number,
): WorkerMetrics<Counters, Histograms> {
  return seated(KIND, instance, index, READING, () => {
    const { places, counters, histograms } = layoutOf(instance);
    const cells = new OwnCells(instance.memory, places[index]!);
    const handles = [
      ...counters.map(([name, cell]) => [name, ownCounter(cells, cell)]),
      ...histograms.map(([name, cell, buckets]) => [name, ownHistogram(cells, cell, buckets)]),
    ];
    return Object.fromEntries(handles) as WorkerMetrics<Counters, Histograms>;
  });
}

/**
 * What all workers have counted so far, those that have ended included. Called in any thread, at any time. Each worker's
 * part of each metric is what it had counted at some moment of the call, so that metrics which change together may
 * differ by what was counted meanwhile. Two calls of one thread never show less the second time. Throws, in one line,
 * for a value that makeMetrics did not return.
 */
export function readMetrics<Counters extends string, Histograms extends string>(
  instance: MetricsInstance<Counters, Histograms>,
): Readings<Counters, Histograms> {
  const { counters, histograms } = readersOf(instance);
  const readings = [...counters, ...histograms].map(([name, read]) => [name, read()]);
  return Object.fromEntries(readings) as Readings<Counters, Histograms>;
}

/** A reader for each metric, by its name. */
export function readersOf(instance: MetricsInstance): {
  readonly counters: [string, () => number][];
  readonly histograms: [string, () => HistogramReading][];
} {
  assertMadeBy(KIND, instance, READING);
  const { memory } = instance;
  const { places, counters, histograms } = layoutOf(instance);
  return {
    counters: counters.map(([name, cell]) => [name, () => readCells(memory, places, cell)]),
    histograms: histograms.map(([name, cell, buckets]) => [
      name,
      () => readingOf(buckets, readHistogram(memory, places, cell, buckets)),
    ]),
  };
}

/** What made an instance, as its stamp says. */
const KIND = { summary: "counters and histograms that each worker has on lines of its own" };

const READING: Reading<MetricsInstance> = {
  counts: (instance) => ({ workers: instance.workers, cells: layoutOf(instance).cells }),
  seed: () => 0,
};

/** Which cells are whose: those of the counters, then those of each histogram. */
function layoutOf({
  workers = 0,
  ...described
}: Pick<MetricsInstance, "counters" | "histograms"> & { readonly workers?: number }): {
  readonly cells: number;
  readonly places: Place[];
  readonly counters: [name: string, cell: number][];
  readonly histograms: [name: string, cell: number, buckets: Buckets][];
} {
  const counters = Object.keys(described.counters).map((name, cell): [string, number] => [name, cell]);
  let cells = counters.length;
  const histograms = Object.entries(described.histograms).map(([name, range]): [string, number, Buckets] => {
    const buckets = new Buckets(range);
    const first = cells;
    cells += cellsOf(buckets);
    return [name, first, buckets];
  });
  return { cells, places: ownLines(cells, workers), counters, histograms };
}

function ownCounter(cells: OwnCells, cell: number): Counter {
  return {
    add(n = 1) {
      assertAddable(n);
      cells.add(cell, n);
    },
  };
}

function readingOf(
  buckets: Buckets,
  { sum, buckets: counts }: { readonly sum: number; readonly buckets: readonly number[] },
): HistogramReading {
  const upTo: number[] = [];
  for (const count of counts) upTo.push((upTo.at(-1) ?? 0) + count);
  const shown = Array.from({ length: buckets.octaves + 1 }, (_, octave) => {
    const end = buckets.endOfOctave(octave);
    return { le: buckets.boundOf(end), count: upTo[end]! };
  });
  const count = upTo.at(-1)!;
  return {
    count,
    sum,
    buckets: [...shown, { le: Number.POSITIVE_INFINITY, count }],
    quantile: (q) => quantileOf(buckets, counts, q),
  };
}

/** Source: the Prometheus data model, "Metric names and labels". */
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function assertNames(counters: readonly string[], histograms: readonly string[]): void {
  if (counters.length + histograms.length === 0)
    throw new RangeError("no metrics: give counters, histograms or both");
  for (const name of [...counters, ...histograms]) {
    if (!NAME.test(name))
      throw new RangeError(
        `${JSON.stringify(name)} is no name for Prometheus: use letters, digits, _ and :, and no digit first`,
      );
  }
  const shown = [
    ...counters,
    ...histograms.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  ];
  const twice = shown.find((name, at) => shown.indexOf(name) !== at);
  if (twice !== undefined)
    throw new RangeError(
      `Prometheus would show ${twice} twice: rename one metric (a histogram also has _bucket, _sum and _count)`,
    );
}

function assertHelp(name: string, help: unknown): void {
  if (typeof help !== "string" || help.trim() === "")
    throw new TypeError(`${name} has no help text: say in a line what it counts`);
}
