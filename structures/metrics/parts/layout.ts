import { wholeStrides } from "../../shared/layout.ts";
import { type Bounds, bucketsOf } from "./buckets.ts";
import { type CellLayout, WORDS_OF_CELL } from "./cells.ts";
import type { Aggregator, Described, DescribedGauge, DescribedHistogram } from "./described.ts";
import { DOUBLES_OF_EXTREMES, WORDS_OF_DOUBLE } from "./doubles.ts";
import { seriesOf } from "./labels.ts";
import { cellsOf } from "./own.ts";

/** Where each series of each metric is among the words of a worker: first all cells, then all doubles. */
export interface Layout {
  /** Of a worker. */
  readonly cells: number;
  readonly doubles: number;
  readonly words: number;
  readonly metrics: readonly Metric[];
  cellLayoutOf(worker: number): CellLayout;
  /** The first double of a worker. */
  doubleOf(worker: number): number;
}

export interface Metric extends Described {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly series: readonly Readonly<Record<string, string>>[];
  readonly aggregator: Aggregator;
  /** Of a histogram. */
  readonly bounds?: Bounds;
  /** The first cell of a series, and its first double. */
  cellOf(series: number): number;
  doubleOf(series: number): number;
}

export function layoutOf(described: {
  readonly counters: Readonly<Record<string, Described>>;
  readonly histograms: Readonly<Record<string, DescribedHistogram>>;
  readonly gauges: Readonly<Record<string, DescribedGauge>>;
}): Layout {
  let [cells, doubles] = [0, 0];
  const enter = (
    own: Pick<Metric, "name" | "type" | "help" | "labels" | "aggregator" | "bounds">,
  ): Metric => {
    const [cell, double] = [cells, doubles];
    const cellsEach =
      own.type === "gauge" ? 0 : own.bounds === undefined ? 1 : cellsOf(bucketsOf(own.bounds));
    const doublesEach = { counter: 0, gauge: 1, histogram: DOUBLES_OF_EXTREMES }[own.type];
    const series = seriesOf(own.labels);
    cells += series.length * cellsEach;
    doubles += series.length * doublesEach;
    return {
      ...own,
      series,
      cellOf: (at) => cell + at * cellsEach,
      doubleOf: (at) => double + at * doublesEach,
    };
  };
  const metrics = [
    ...Object.entries(described.counters).map(([name, one]) =>
      enter({ name, type: "counter", aggregator: "sum", ...one }),
    ),
    ...Object.entries(described.gauges).map(([name, one]) => enter({ name, type: "gauge", ...one })),
    ...Object.entries(described.histograms).map(([name, one]) =>
      enter({ name, type: "histogram", aggregator: "sum", help: one.help, labels: one.labels, bounds: one }),
    ),
  ];
  const wordsOfCells = WORDS_OF_DOUBLE * Math.ceil((WORDS_OF_CELL * cells) / WORDS_OF_DOUBLE);
  const words = wholeStrides(wordsOfCells + WORDS_OF_DOUBLE * doubles);
  return {
    ...{ cells, doubles, words, metrics },
    cellLayoutOf: (worker) => ({ first: worker * words, step: 1, apart: cells }),
    doubleOf: (worker) => (worker * words + wordsOfCells) / WORDS_OF_DOUBLE,
  };
}
