import type { OwnCells } from "./cells.ts";
import { assertAddable, assertNoLabels, assertNumber } from "./checked.ts";
import type { Doubles } from "./doubles.ts";
import { finderOf, type Labels, type LabelValues } from "./labels.ts";

/** One worker's handle. Not to be passed to another thread. */
export interface Counter {
  /**
   * Adds `n`, an integer in 0 .. 2^53 - 1; 1 if absent. Wait-free. Throws a TypeError for what is no finite number, a
   * RangeError for any other.
   */
  add(n?: number): void;
}

/** One worker's handle. Its value is 0 at first, and is left out once the worker's seat is free. */
export interface Gauge {
  /** Wait-free. Throws a TypeError for what is no finite number. */
  set(value: number): void;
  /** The same for a value that is `difference` more than before, or less where that is negative; 1 if absent. */
  add(difference?: number): void;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Histogram {
  /**
   * Records a value of 0 or more. Wait-free. Throws a TypeError for what is no finite number, and a RangeError for
   * one that is negative or too large for an exact sum. Values up to 2^46 times the histogram's `from` are not.
   */
  record(value: number): void;
  /**
   * Returns a function that records the seconds since then, and returns them. It takes the labels, where they are known
   * only then.
   */
  startTimer(): (labels?: LabelValues) => number;
}

/**
 * The handle of a metric. One that has labels counts by `labels({ name: value })` alone, which returns the handle of one
 * series, the same each time. Throws a RangeError for a label that is missing, and for a label or a value that makeMetrics
 * was not given.
 */
export type Labelled<Handle> = Handle & { labels(values: LabelValues): Handle };

export function ownCounter(cells: OwnCells, cell: number): Counter {
  return {
    add(n = 1, labels?: undefined) {
      assertNoLabels("add", labels);
      assertAddable(n);
      cells.add(cell, n);
    },
  };
}

export function ownGauge(doubles: Doubles, at: number): Gauge {
  let value = 0;
  const set = (next: number) => {
    value = next;
    doubles.store(at, next);
  };
  // Whoever had the seat before has left a value.
  set(0);
  return {
    set(next, labels?: undefined) {
      assertNoLabels("set", labels);
      assertNumber("set", next);
      set(next);
    },
    add(difference = 1, labels?: undefined) {
      assertNoLabels("add", labels);
      assertNumber("add", difference);
      set(value + difference);
    },
  };
}

/** `seriesOf` has the histogram of the same metric for other labels. */
export function timedHistogram(
  own: Pick<Histogram, "record">,
  seriesOf: (labels: LabelValues) => Histogram,
): Histogram {
  return { ...own, startTimer: () => timer((labels) => (labels === undefined ? own : seriesOf(labels))) };
}

/** Of a metric: begins now, and records in the series whose labels come at the end. */
export function timer(
  histogramOf: (labels?: LabelValues) => Pick<Histogram, "record">,
): (labels?: LabelValues) => number {
  const beganMs = performance.now();
  return (labels) => {
    const seconds = (performance.now() - beganMs) / 1000;
    histogramOf(labels).record(seconds);
    return seconds;
  };
}

/** A handle for each series of a metric, made when it is first asked for. `unlabelled` makes that of a metric with labels. */
export function labelled<Handle extends object>(
  metric: string,
  labels: Labels,
  make: (series: number, seriesOf: (values: LabelValues) => Handle) => Handle,
  unlabelled: (refuse: () => never, seriesOf: (values: LabelValues) => Handle) => Handle,
): Labelled<Handle> {
  const find = finderOf(metric, labels);
  const handles: Handle[] = [];
  const seriesOf = (values: LabelValues): Handle => {
    const series = find(values);
    handles[series] ??= make(series, seriesOf);
    return handles[series];
  };
  const hasLabels = Object.keys(labels).length > 0;
  const refuse = () => find({}) as never;
  return { ...(hasLabels ? unlabelled(refuse, seriesOf) : seriesOf({})), labels: seriesOf };
}
