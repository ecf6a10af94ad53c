import { type Region, STRIDE_BYTES } from "../../shared/layout.ts";
import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";
import { assertAddable, assertRecordable } from "../parts/checked.ts";

/**
 * One int64 for all workers, which Atomics.add raises by a BigInt.
 *
 * Promise: as the contract says, exact to 2^53 and right to 2^63.
 * Progress: wait-free.
 * Threads: any worker that attached; any thread reads.
 * Cost: one read-modify-write to add, two to record, on lines that all workers write; and a BigInt for each.
 * Memory: two words for each counter and bucket, whatever the number of workers.
 * Limits: what the engine makes of BigInts.
 * Bet: what it costs to count beyond 2^32 without a scheme.
 * Source: fetch-and-add (Gottlieb and Kruskal, 1981), on BigInt64Array.
 *
 *     int64 0             counter                     raised and read by anyone, atomically
 *     int64 16            sum of values, in units     likewise
 *     int64 32 and on     buckets                     likewise
 */
export default {
  summary: "one int64 for all workers, raised by Atomics.add of a BigInt",
  source: "fetch-and-add",
  progress: "wait-free",
  variantOf: "shared-atomics-add",
  exactTo: Number.MAX_SAFE_INTEGER,
  reading: "anyone",
  buckets: "asked",
  words: ({ range }) => WORDS * (BUCKETS + new Buckets(range).count),

  format(memory) {
    memory.fill(0);
  },

  attach(memory, { range }) {
    const buckets = new Buckets(range);
    const counts = countsOf(memory);
    return {
      add(n) {
        assertAddable(n);
        Atomics.add(counts, COUNTER, BigInt(n));
      },
      record(value) {
        assertRecordable(value, buckets);
        Atomics.add(counts, SUM, BigInt(buckets.unitsOf(value)));
        Atomics.add(counts, BUCKETS + buckets.indexOf(value), 1n);
      },
    };
  },

  reader(memory, { range }) {
    const buckets = new Buckets(range);
    const counts = countsOf(memory);
    const countOf = (at: number) => Number(Atomics.load(counts, at));
    return () => ({
      count: countOf(COUNTER),
      buckets: Array.from({ length: buckets.count }, (_, index) => countOf(BUCKETS + index)),
      sum: countOf(SUM) * buckets.unit,
    });
  },
} satisfies MetricsCompetitor;

const STRIDE = STRIDE_BYTES / BigInt64Array.BYTES_PER_ELEMENT;
const COUNTER = 0;
const SUM = STRIDE;
const BUCKETS = 2 * STRIDE;
/** Of one int64. */
const WORDS = BigInt64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT;

function countsOf(memory: Region): BigInt64Array {
  return new BigInt64Array(memory.buffer, memory.byteOffset, memory.length / WORDS);
}
