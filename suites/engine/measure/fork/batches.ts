/** How many operations a batch has, and for how long batches are run; alike for synchronous operations and for promises. */

// As in gate.ts: taken before any competitor is loaded.
const { max, min, round } = Math;
const { apply } = Reflect;
const { sort, subarray } = Float64Array.prototype;

/**
 * A batch is as many operations as take about this long. That is long enough that the clock read after it (about 50 ns)
 * is a three hundredth of it. It is short enough that a worker notices the gate at once.
 */
export const BATCH_NS = 15_000;
const MOST_OPERATIONS_PER_BATCH = 2 ** 20;
/** Batches remembered to find the usual one; a slice of 50 ms has about 2,000. */
export const MOST_TIMED_BATCHES = 2048;

/** A slice whose batches have to be prepared may take this many times as long as it was ordered, to measure as much. */
export const MOST_TIMES_LONGER = 5;

/** The most operations that a batch may count, where it runs `extraWork` more. Throws an Error where that is none. */
export function mostOperationsOf(runnersMost: number | undefined, extraWork: number): number {
  const most = Math.min(MOST_OPERATIONS_PER_BATCH, runnersMost ?? Number.POSITIVE_INFINITY);
  const counted = Math.floor(most / (1 + extraWork));
  if (counted === 0) throw new Error("its batches are too small to hold extra work");
  return counted;
}

/** The batch after one that took `batchNs` in a slice that looks for the right size. */
export function nextBatch(batch: number, batchNs: number, most: number): number {
  return batchNs < BATCH_NS / 2 ? min(2 * batch, most) : batch;
}

/** The median of the batches that were timed last, in ns for each operation; sorts them. */
export function usualNsOf(timedNs: Float64Array, batches: number): number {
  const timed = apply(subarray, timedNs, [0, min(batches, timedNs.length)]);
  apply(sort, timed, []);
  return timed[timed.length >> 1]!;
}

/** The batch that takes about BATCH_NS. */
export function batchOf(usualNs: number, most: number): number {
  return min(most, max(1, round(BATCH_NS / usualNs)));
}
