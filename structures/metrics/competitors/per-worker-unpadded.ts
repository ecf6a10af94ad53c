import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";
import { WORDS_OF_CELL } from "../parts/cells.ts";
import { cellsOf, inCells } from "../parts/own.ts";

/**
 * The cells of own-lines side by side: an array with an element for each worker, as one writes it first.
 *
 * Promise: as own-lines.
 * Progress: wait-free to add and to record, lock-free to read.
 * Threads: as own-lines.
 * Cost: that of own-lines, and a cache line that all workers write.
 * Memory: three words for each counter and bucket of each worker.
 * Limits: as own-lines. Workers' counts lie in one line, so that each store takes it from another core.
 * Bet: false sharing costs more than everything else here.
 * Source: the array that is indexed by a worker's number. Bolosky and Scott, "False sharing and its effect on shared
 *   memory performance" (1993).
 *
 *     word cell * workers + worker    low word of a worker's cell; its high words follow all low words
 */
export default {
  summary: "each worker counts in its element of one array, beside the others'",
  source: "an array indexed by worker",
  progress: "lock-free",
  words: ({ range, workers }) => workers * WORDS_OF_CELL * (1 + cellsOf(new Buckets(range))),
  ...inCells((cells, workers) =>
    Array.from({ length: workers }, (_, first) => ({ first, step: workers, apart: cells * workers })),
  ),
} satisfies MetricsCompetitor;
