import { assertOptions, type OptionKinds, shown } from "../shared/arguments.ts";
import { assertMadeBy, isTaken, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { assertWorkers } from "../shared/worker-identity.ts";
import { bucketsOf } from "./parts/buckets.ts";
import { OwnCells } from "./parts/cells.ts";
import {
  assertNames,
  type Described,
  type DescribedGauge,
  type DescribedHistogram,
  describedCounter,
  describedGauge,
  describedHistogram,
  type GaugeOptions,
  type HistogramOptions,
  type MetricOptions,
} from "./parts/described.ts";
import { Doubles, Extremes } from "./parts/doubles.ts";
import {
  type Counter,
  type Gauge,
  type Histogram,
  type Labelled,
  labelled,
  ownCounter,
  ownGauge,
  timedHistogram,
  timer,
} from "./parts/handles.ts";
import { layoutOf, type Metric } from "./parts/layout.ts";
import { ownHistogram } from "./parts/own.ts";
import { type HistogramReading, readerOf } from "./parts/readings.ts";

/** The metrics that workers share. Names are those that Prometheus shows. */
export interface MetricsOptions<C extends string, H extends string, G extends string = never> {
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  /** What each counter counts, in a line; or that and its labels. */
  readonly counters?: Readonly<Record<C, string | MetricOptions>> | undefined;
  readonly histograms?: Readonly<Record<H, HistogramOptions>> | undefined;
  /** Values that rise and fall: each worker has its own. */
  readonly gauges?: Readonly<Record<G, string | GaugeOptions>> | undefined;
}

const OPTIONS: OptionKinds<MetricsOptions<never, never>> = {
  ...{ workers: "any", counters: "object", histograms: "object", gauges: "object" },
};

/** What workers count in, and its description: plain data, which crosses to workers as it is. */
export interface MetricsInstance<
  C extends string = string,
  H extends string = string,
  G extends string = never,
> extends Stamped {
  readonly workers: number;
  readonly counters: Readonly<Record<C, Described>>;
  readonly histograms: Readonly<Record<H, DescribedHistogram>>;
  readonly gauges: Readonly<Record<G, DescribedGauge>>;
}

export type WorkerMetrics<C extends string, H extends string, G extends string = never> = {
  readonly [Name in C]: Labelled<Counter>;
} & { readonly [Name in H]: Labelled<Histogram> } & { readonly [Name in G]: Labelled<Gauge> };

/** What all workers have counted, in all series of a metric together. */
export type Readings<C extends string, H extends string, G extends string = never> = {
  readonly [Name in C | G]: number;
} & { readonly [Name in H]: HistogramReading };

/** What all workers have counted with these labels. */
export interface Series<Value> {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

/**
 * Metrics that start at 0. Throws a RangeError or a TypeError, in one line, for an option that there is not, for a name
 * that Prometheus does not allow or that would be shown twice, for a metric without help, and for a histogram's range that
 * is none.
 */
export function makeMetrics<C extends string = never, H extends string = never, G extends string = never>(
  options: MetricsOptions<C, H, G>,
): MetricsInstance<C, H, G> {
  assertOptions("makeMetrics", options, OPTIONS);
  const {
    workers,
    counters = {} as Record<C, MetricOptions>,
    histograms = {} as Record<H, HistogramOptions>,
    gauges = {} as Record<G, GaugeOptions>,
  } = options;
  assertWorkers(workers);
  assertNames([...Object.keys(counters), ...Object.keys(gauges)], Object.keys(histograms));
  const described = {
    counters: mapped(counters, describedCounter),
    histograms: mapped(histograms, describedHistogram),
    gauges: mapped(gauges, describedGauge),
  };
  const { cells, doubles, words } = layoutOf(described);
  const memory = allocateRegion(workers * words);
  return { memory, workers, ...described, stamp: stampOf(KIND, { workers, cells, doubles }) };
}

function mapped<Name extends string, Given, Made>(
  all: Readonly<Record<Name, Given>>,
  made: (name: string, given: Given) => Made,
): Record<Name, Made> {
  const described = Object.entries<Given>(all).map(([name, given]) => [name, made(name, given)]);
  return Object.fromEntries(described) as Record<Name, Made>;
}

/**
 * The metrics of worker `index`, 0 .. workers - 1, by their names. Called in that worker's thread. A seat has one
 * holder: another attaches after `freeSeat`, and adds to what the ones before have counted. Throws, in one line, for a
 * value that makeMetrics did not return, for an invalid index, and for a seat that is taken.
 */
export function attachMetrics<C extends string, H extends string, G extends string = never>(
  instance: MetricsInstance<C, H, G>,
  index: number,
): WorkerMetrics<C, H, G> {
  return seated(KIND, instance, index, READING, () => {
    const { metrics, cellLayoutOf, doubleOf } = layoutOf(instance);
    const cells = new OwnCells(instance.memory, cellLayoutOf(index));
    const doubles = new Doubles(instance.memory);
    const handles = metrics.map((metric) => [metric.name, handleOf(metric, cells, doubles, doubleOf(index))]);
    return Object.fromEntries(handles) as WorkerMetrics<C, H, G>;
  });
}

function handleOf(
  metric: Metric,
  cells: OwnCells,
  doubles: Doubles,
  firstDouble: number,
): Labelled<Counter> | Labelled<Gauge> | Labelled<Histogram> {
  const { name, labels, type, series, bounds, cellOf, doubleOf } = metric;
  if (type === "counter")
    return labelled<Counter>(
      name,
      labels,
      (at) => ownCounter(cells, cellOf(at)),
      (refuse) => ({ add: refuse }),
    );
  if (type === "gauge") {
    const make = (at: number) => ownGauge(doubles, firstDouble + doubleOf(at));
    const gauge = labelled<Gauge>(name, labels, make, (refuse) => ({ set: refuse, add: refuse }));
    // Each begins at 0, whether the worker will use it or not.
    for (const values of series) gauge.labels(values);
    return gauge;
  }
  return labelled<Histogram>(
    name,
    labels,
    (at, seriesOf) => {
      const extremes = new Extremes(doubles, firstDouble + doubleOf(at));
      // Buckets of its own, which keep what its sum is short of.
      return timedHistogram(ownHistogram(cells, cellOf(at), bucketsOf(bounds!), extremes), seriesOf);
    },
    (refuse, seriesOf) => ({ record: refuse, startTimer: () => timer((values = {}) => seriesOf(values)) }),
  );
}

/**
 * What all workers have counted so far, those that have ended included; and the gauges of those that hold a seat. Called in
 * any thread, at any time. Each worker's part of each metric is what it had counted at some moment of the call, so that
 * metrics which change together may differ by what was counted meanwhile. Two calls of one thread never show less the
 * second time, but of gauges. Throws, in one line, for a value that makeMetrics did not return.
 */
export function readMetrics<C extends string, H extends string, G extends string = never>(
  instance: MetricsInstance<C, H, G>,
): Readings<C, H, G> {
  const { metrics, read } = readingMetrics(instance);
  const readings = metrics.map((metric) => [metric.name, read(metric, [...metric.series.keys()])]);
  return Object.fromEntries(readings) as Readings<C, H, G>;
}

/** The same of each series of one metric, for those that have labels. Throws a RangeError for a name that there is not. */
export function readSeries<C extends string, H extends string, G extends string, Name extends C | H | G>(
  instance: MetricsInstance<C, H, G>,
  name: Name,
): Series<Readings<C, H, G>[Name]>[] {
  const { metrics, read } = readingMetrics(instance);
  const metric = metrics.find((one) => one.name === name);
  if (metric === undefined) {
    const names = metrics.map((one) => one.name).join(", ");
    throw new RangeError(`there is no metric ${shown(name)}: there are ${names}`);
  }
  return metric.series.map((labels, at) => ({
    labels,
    value: read(metric, [at]) as Readings<C, H, G>[Name],
  }));
}

/** Every metric, and what reads any of their series. */
export function readingMetrics(instance: MetricsInstance): {
  readonly metrics: readonly Metric[];
  readonly read: ReturnType<typeof readerOf>;
} {
  assertMadeBy(KIND, instance, READING);
  const { memory, workers, stamp } = instance;
  const layout = layoutOf(instance);
  const everyone = Array.from({ length: workers }, (_, worker) => worker);
  const holders = () => everyone.filter((worker) => isTaken(Atomics.load(stamp.seats, worker)));
  return { metrics: layout.metrics, read: readerOf(memory, workers, layout, holders) };
}

/** What made an instance, as its stamp says. */
const KIND = { summary: "counters, histograms and gauges that each worker has on lines of its own" };

const READING: Reading<MetricsInstance> = {
  counts(instance) {
    const { cells, doubles } = layoutOf(instance);
    return { workers: instance.workers, cells, doubles };
  },
  seed: () => 0,
};
