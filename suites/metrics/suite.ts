import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: where do workers count requests and latencies, so that each count is cheap and anyone can read it?
 * Workload and why it is realistic: a counter and a histogram of latencies are what a server keeps of each request.
 *   Workers do nothing but count, which is the worst case of contention; a server counts once in a request. Latencies
 *   are between 1 ms and 32 s, each doubling half as likely as the one before. `read`: one worker reads all counts
 *   again and again, as an answer to Prometheus does once in some seconds; the others add and record. `scrape`: how
 *   long it takes until one thread has all counts. There the workers of npm-prom-client are sent a message each, and
 *   answer when their event loop is free, which is what programs do today. What they answer is shorter than prom-client's
 *   JSON, and so favours it.
 * Not measured: several counters, which differ in nothing but their lines. `read` for npm-prom-client, whose workers
 *   never answer while they count without end. A worker that is terminated, which laws and the explorer cover. The text
 *   for Prometheus.
 * How to run: npm run bench -- metrics
 */
export default {
  primitive: "metrics",
  order: ["count", "record", "read", "scrape"],
} satisfies SuiteModule;
