import type { Region } from "../../shared/layout.ts";
import { type Buckets, bucketsOf, quantileOf } from "./buckets.ts";
import { readCells } from "./cells.ts";
import { Doubles, readExtremes } from "./doubles.ts";
import type { Layout, Metric } from "./layout.ts";
import { readHistogram } from "./own.ts";

/** What all workers have recorded. */
export interface HistogramReading {
  readonly count: number;
  /** Sum of the values. It is less than right by a 64th of `from` at most for each series of each worker that had a seat. */
  readonly sum: number;
  /** The least value, and the greatest; NaN where nothing was recorded. */
  readonly min: number;
  readonly max: number;
  /** How many values are `le` or less: for each doubling, or each bound of your own; and for Infinity. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  /**
   * The value below or at which the share `q`, 0 .. 1, of the values lies (nearest rank), right but for the histogram's
   * `error` between `from` and `to`, and never less than `min` or more than `max`. NaN where nothing was recorded.
   */
  quantile(q: number): number;
}

/** Reads series of a metric, in what all workers have of them together. Gauges of `workers`, who hold a seat, alone. */
export function readerOf(
  memory: Region,
  workers: number,
  layout: Layout,
  holders: () => readonly number[],
): (metric: Metric, series: readonly number[]) => number | HistogramReading {
  const everyone = Array.from({ length: workers }, (_, worker) => worker);
  const layouts = everyone.map(layout.cellLayoutOf);
  const doubles = new Doubles(memory);
  const doublesOf = ({ doubleOf }: Metric, series: readonly number[], among: readonly number[]) =>
    among.flatMap((worker) => series.map((at) => layout.doubleOf(worker) + doubleOf(at)));
  return (metric, series) => {
    if (metric.type === "counter")
      return series.reduce((sum, at) => sum + readCells(memory, layouts, metric.cellOf(at)), 0);
    if (metric.type === "gauge")
      return AGGREGATED[metric.aggregator](
        doublesOf(metric, series, holders()).map((at) => doubles.load(at)),
      );
    const buckets = bucketsOf(metric.bounds!);
    const read = series.map((at) => readHistogram(memory, layouts, metric.cellOf(at), buckets));
    // Last, as they are written first.
    const extremes = doublesOf(metric, series, everyone).map((at) => readExtremes(doubles, at));
    const counts = Array.from({ length: buckets.count }, (_, at) =>
      read.reduce((sum, one) => sum + one.buckets[at]!, 0),
    );
    return readingOf(buckets, {
      counts,
      sum: read.reduce((all, { sum }) => all + sum, 0),
      min: extremes.reduce((min, { least }) => Math.min(min, least), Number.POSITIVE_INFINITY),
      max: extremes.reduce((max, { greatest }) => Math.max(max, greatest), Number.NEGATIVE_INFINITY),
    });
  };
}

/** Of the values that workers have; 0 where there are none. */
const AGGREGATED = {
  sum: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  min: (values: readonly number[]) => values.reduce((least, value) => Math.min(least, value), values[0] ?? 0),
  max: (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), values[0] ?? 0),
};

function readingOf(
  buckets: Buckets,
  recorded: {
    readonly counts: readonly number[];
    readonly sum: number;
    readonly min: number;
    readonly max: number;
  },
): HistogramReading {
  const { counts, sum, min, max } = recorded;
  const upTo: number[] = [];
  for (const count of counts) upTo.push((upTo.at(-1) ?? 0) + count);
  const shown = buckets.ends().map((end) => ({ le: buckets.boundOf(end), count: upTo[end]! }));
  const count = upTo.at(-1)!;
  const isEmpty = count === 0;
  return {
    count,
    sum,
    min: isEmpty ? Number.NaN : min,
    max: isEmpty ? Number.NaN : max,
    buckets: [...shown, { le: Number.POSITIVE_INFINITY, count }],
    quantile: (q) => Math.min(max, Math.max(min, quantileOf(buckets, counts, q))),
  };
}
