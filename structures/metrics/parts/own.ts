import { type Region, wholeStrides } from "../../shared/layout.ts";
import type { MetricsCompetitor, MetricsSetup, Totals } from "../metrics.contract.ts";
import { Buckets } from "./buckets.ts";
import { type CellLayout, OwnCells, readCells, WORDS_OF_CELL } from "./cells.ts";
import { assertAddable, assertNoLabels, assertRecordable } from "./checked.ts";
import type { Extremes } from "./doubles.ts";

/**
 * A histogram in cells of a worker: one for the sum, in units, and one for each bucket.
 *
 * The sum comes first, so that a reader that begins with the buckets finds in the sum what it has seen counted. Extremes,
 * where there are any, come before both.
 */
export const cellsOf = (buckets: Buckets): number => 1 + buckets.count;

/** The worker's own part of the histogram whose cells begin at `first`. */
export function ownHistogram(
  cells: OwnCells,
  first: number,
  buckets: Buckets,
  extremes: Pick<Extremes, "include"> = NO_EXTREMES,
): { record(value: number): void } {
  return {
    record(value, labels?: undefined) {
      assertNoLabels("record", labels);
      assertRecordable(value, buckets);
      extremes.include(value);
      cells.add(first, buckets.unitsOf(value));
      cells.add(first + 1 + buckets.indexOf(value), 1);
    },
  };
}

const NO_EXTREMES = { include() {} };

/** What all workers have recorded in that histogram. */
export function readHistogram(
  memory: Region,
  layouts: readonly CellLayout[],
  first: number,
  buckets: Buckets,
): Pick<Totals, "sum" | "buckets"> {
  const counts = Array.from({ length: buckets.count }, (_, index) =>
    readCells(memory, layouts, first + 1 + index),
  );
  return { sum: readCells(memory, layouts, first) * buckets.unit, buckets: counts };
}

/** Where the cells of each worker are that has lines of its own. */
export function ownLines(cells: number, workers: number): CellLayout[] {
  const words = wordsOfOwnLines(cells);
  return Array.from({ length: workers }, (_, worker) => ({ first: worker * words, step: 1, apart: cells }));
}

/** Words of one worker, in whole strides. */
export function wordsOfOwnLines(cells: number): number {
  return wholeStrides(WORDS_OF_CELL * cells);
}

/** A counter and a histogram in cells, wherever these are. */
export function inCells(
  layoutsOf: (cells: number, workers: number) => CellLayout[],
): Pick<MetricsCompetitor, "exactTo" | "reading" | "buckets" | "format" | "attach" | "reader"> {
  const layout = ({ range, workers }: MetricsSetup) => {
    const buckets = new Buckets(range);
    return { buckets, layouts: layoutsOf(HISTOGRAM + cellsOf(buckets), workers) };
  };
  return {
    exactTo: Number.MAX_SAFE_INTEGER,
    reading: "anyone",
    buckets: "asked",

    format(memory) {
      memory.fill(0);
    },

    attach(memory, setup, { index }) {
      const { buckets, layouts } = layout(setup);
      const cells = new OwnCells(memory, layouts[index]!);
      return {
        add(n) {
          assertAddable(n);
          cells.add(COUNTER, n);
        },
        ...ownHistogram(cells, HISTOGRAM, buckets),
      };
    },

    reader(memory, setup) {
      const { buckets, layouts } = layout(setup);
      return () => ({
        count: readCells(memory, layouts, COUNTER),
        ...readHistogram(memory, layouts, HISTOGRAM, buckets),
      });
    },
  };
}

const COUNTER = 0;
const HISTOGRAM = 1;
