import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";
import { assertAddable, assertRecordable } from "../parts/checked.ts";

/**
 * One word for all workers, which Atomics.add raises.
 *
 * Promise: as the contract says, up to 2^32 - 1. Beyond, a count starts again at 0. The sum of values is an int64.
 * Progress: wait-free.
 * Threads: any worker that attached; any thread reads.
 * Cost: one read-modify-write to add, two to record, on lines that all workers write. The sum is raised by a BigInt.
 * Memory: a word for each counter and bucket, whatever the number of workers.
 * Limits: a count of more than 2^32 - 1 is wrong, and a counter that falls looks like a restart to Prometheus.
 * Bet: this is what one writes first, and it is fast enough until workers meet.
 * Source: fetch-and-add (Gottlieb and Kruskal, 1981); the metrics of most programs with shared memory.
 *
 *     word 0                counter                     raised and read by anyone, atomically
 *     words 32, 33          sum of values, in units     likewise, as one int64
 *     words 64 and on       buckets                     likewise
 */
export default {
  summary: "one int32 for all workers, raised by Atomics.add",
  source: "fetch-and-add",
  progress: "wait-free",
  exactTo: 2 ** 32 - 1,
  reading: "anyone",
  buckets: "asked",
  words: ({ range }) => BUCKETS + new Buckets(range).count,

  format(memory) {
    memory.fill(0);
  },

  attach(memory, { range }) {
    const buckets = new Buckets(range);
    const sum = sumOf(memory);
    return {
      add(n) {
        assertAddable(n);
        Atomics.add(memory, COUNTER, n);
      },
      record(value) {
        assertRecordable(value, buckets);
        Atomics.add(sum, 0, BigInt(buckets.unitsOf(value)));
        Atomics.add(memory, BUCKETS + buckets.indexOf(value), 1);
      },
    };
  },

  reader(memory, { range }) {
    const buckets = new Buckets(range);
    const sum = sumOf(memory);
    const countOf = (word: number) => Atomics.load(memory, word) >>> 0;
    return () => ({
      count: countOf(COUNTER),
      buckets: Array.from({ length: buckets.count }, (_, index) => countOf(BUCKETS + index)),
      sum: Number(Atomics.load(sum, 0)) * buckets.unit,
    });
  },
} satisfies MetricsCompetitor;

const COUNTER = 0;
const SUM = STRIDE_WORDS;
const BUCKETS = 2 * STRIDE_WORDS;

function sumOf(memory: Region): BigInt64Array {
  return new BigInt64Array(memory.buffer, memory.byteOffset + SUM * Int32Array.BYTES_PER_ELEMENT, 1);
}
