import type { SuiteModule } from "../engine/suite.ts";

/**
 * Question: where do workers count requests and latencies, so that each count is cheap and anyone can read it?
 * Workload and why it is realistic: a counter and a histogram of latencies are what a server keeps of each request.
 *   Workers do nothing but count, which is the worst case of contention; a server counts once in a request. Latencies
 *   are between 1 ms and 32 s, each doubling half as likely as the one before. `read`: one worker reads all counts
 *   again and again, as an answer to Prometheus does once in some seconds; the others add and record.
 * Not measured: several counters, which differ in nothing but their lines. What it takes to read the metrics of
 *   npm-prom-client, which lie in the workers: each is sent a message, and answers when its event loop is free. Workers
 *   that count without end never answer. A worker that is terminated, which laws and the explorer cover. The text for
 *   Prometheus.
 * How to run: npm run bench -- metrics
 */
export default {
  primitive: "metrics",
  order: ["count", "record", "read"],
} satisfies SuiteModule;
