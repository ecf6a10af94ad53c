import { Counter, Histogram } from "prom-client";
import type { MetricsCompetitor } from "../metrics.contract.ts";
import { Buckets } from "../parts/buckets.ts";

/**
 * The package prom-client as it is used in worker threads: each has a counter and a histogram of its own.
 *
 * Promise: each worker's own counts are right.
 * Progress: wait-free; workers share nothing.
 * Threads: each worker uses the metrics that it made.
 * Cost: a hash of no labels, and a property of an object by that hash; for a histogram a search for the bucket from
 *   below. No shared memory.
 * Memory: two objects private to each worker.
 * Limits: no other thread can read them. To read all, a program sends each worker a message, and waits until it has
 *   time to answer with its metrics as JSON. AggregatorRegistry.aggregate then adds them up; it does not itself ask
 *   threads, only the processes of a cluster. What a worker has counted since its last answer is lost when it ends. NaN
 *   raises a counter to NaN.
 * Bet: its checks and lookups cost several times a store to a line of one's own.
 * Source: npm prom-client 15.1.3. Worker threads are its issue 401, and what programs do meanwhile is PostHog's pull
 *   request 15002.
 */
export default {
  summary: "prom-client's counter and histogram in each worker, which others ask for",
  source: "npm prom-client",
  progress: "wait-free",
  exactTo: Number.MAX_SAFE_INTEGER,
  reading: "asked",
  buckets: "octaves",
  words: () => 0,
  format() {},

  attach(_memory, { range }) {
    const buckets = new Buckets(range);
    const bounds = buckets.ends().map((index) => buckets.boundOf(index));
    const described = { help: "of the lab", registers: [] };
    const counter = new Counter({ ...described, name: "counter" });
    const histogram = new Histogram({ ...described, name: "histogram", buckets: bounds });
    return {
      add: (n) => counter.inc(n),
      record: (value) => histogram.observe(value),
      own() {
        const { count, sum, bucketValues } = valuesOf<Observed>(histogram);
        const counts = bounds.map((bound) => bucketValues[bound]!);
        const beyond = counts.reduce((left, inBucket) => left - inBucket, count);
        return { count: valuesOf<Counted>(counter).value, sum, buckets: [...counts, beyond] };
      },
    };
  },
} satisfies MetricsCompetitor;

interface Counted {
  readonly value: number;
}

interface Observed {
  readonly sum: number;
  readonly count: number;
  readonly bucketValues: Readonly<Record<number, number>>;
}

/** What a metric without labels has counted. Its own `get` returns a promise, and a race asks at once. */
function valuesOf<Values>(metric: object): Values {
  const { hashMap } = metric as { readonly hashMap: Readonly<Record<string, Values>> };
  return Object.values(hashMap)[0]!;
}
