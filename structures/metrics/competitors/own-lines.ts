import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";
import { cellsOf, inCells, ownLines, wordsOfOwnLines } from "../parts/own.ts";

/**
 * Each worker counts in cache lines of its own, and a reader adds up what all have.
 *
 * Promise: as the contract says. Exact to 2^53, stops at 2^62. The sum of values is exact but for a 64th of the lowest
 *   bound for each worker that has had a seat.
 * Progress: wait-free to add and to record. A reader starts again only where a worker has counted another 2^31 since it
 *   began, so that it is lock-free.
 * Threads: each worker writes its own part; any thread reads.
 * Cost: one load and one Atomics.store to add, two of each and some arithmetic to record; no read-modify-write. Two
 *   more stores once in 2^31. A reader makes four loads for each worker, counter and bucket.
 * Memory: three words for each counter and bucket of each worker, in whole strides.
 * Limits: memory and the cost of reading grow with the workers. Integers only.
 * Bet: nothing is faster to write to than a line that no other core writes, and a reader is rare.
 * Source: LongAdder and Striped64 (Doug Lea, JSR 166) spread a count over cells; here each has one writer. Linux keeps
 *   its statistics so (u64_stats_sync.h).
 *
 * parts/cells.ts lays out the words of a cell; parts/own.ts says which cell is which.
 */
export default {
  summary: "each worker counts on cache lines of its own, by atomic stores; readers add up",
  source: "Lea's LongAdder; Linux' per-CPU statistics",
  progress: "lock-free",
  words: ({ range, workers }) => workers * wordsOfOwnLines(1 + cellsOf(new Buckets(range))),
  ...inCells(ownLines),
} satisfies MetricsCompetitor;
