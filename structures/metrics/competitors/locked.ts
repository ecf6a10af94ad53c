import lock from "../../locks/competitors/futex-three-state.ts";
import { type Region, STRIDE_BYTES, STRIDE_WORDS } from "../../shared/layout.ts";
import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";
import { assertAddable, assertRecordable } from "../parts/checked.ts";

/**
 * The oracle: doubles behind a lock, which readers take as well.
 *
 * Promise: as the contract says, and more: a read is of one moment. The sum is a double that values are added to.
 * Progress: blocking.
 * Threads: any worker that attached; any thread that may block reads.
 * Cost: a lock and an unlock, which all workers contend for.
 * Memory: a double for each counter and bucket, whatever the number of workers.
 * Limits: a worker that is terminated while it holds the lock stops all others. The sum is rounded with each value.
 * Bet: none; it is here because it is obviously right.
 * Source: the textbook; locks/competitors/futex-three-state.ts.
 *
 *     word 0               the lock            see there
 *     double 16            counter             read and written by the lock's holder
 *     double 17            sum of values       likewise
 *     double 18 and on     buckets             likewise
 */
export default {
  summary: "oracle: doubles behind a futex, which readers take too",
  source: "textbook",
  progress: "blocking",
  sleepWord: lock.sleepWord,
  exactTo: Number.MAX_SAFE_INTEGER,
  reading: "anyone",
  buckets: "asked",
  words: ({ range }) => STRIDE_WORDS + WORDS * (BUCKETS + new Buckets(range).count),

  format(memory) {
    memory.fill(0);
    lock.format(memory);
  },

  attach(memory, { range }) {
    const buckets = new Buckets(range);
    const mutex = lock.attach(memory);
    const doubles = doublesOf(memory);
    return {
      add(n) {
        assertAddable(n);
        mutex.lock();
        doubles[COUNTER]! += n;
        mutex.unlock();
      },
      record(value) {
        assertRecordable(value, buckets);
        const bucket = BUCKETS + buckets.indexOf(value);
        mutex.lock();
        doubles[SUM]! += value;
        doubles[bucket]! += 1;
        mutex.unlock();
      },
    };
  },

  reader(memory) {
    const mutex = lock.attach(memory);
    const doubles = doublesOf(memory);
    return () => {
      mutex.lock();
      const [count, sum, ...buckets] = doubles;
      mutex.unlock();
      return { count: count!, sum: sum!, buckets };
    };
  },
} satisfies MetricsCompetitor;

const COUNTER = 0;
const SUM = 1;
const BUCKETS = 2;
/** Of one double. */
const WORDS = Float64Array.BYTES_PER_ELEMENT / Int32Array.BYTES_PER_ELEMENT;

/** Those after the lock's line. */
function doublesOf(memory: Region): Float64Array {
  const length = (memory.length - STRIDE_WORDS) / WORDS;
  return new Float64Array(memory.buffer, memory.byteOffset + STRIDE_BYTES, length);
}
