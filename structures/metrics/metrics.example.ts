import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachMetrics, type MetricsInstance, makeMetrics, registerMetrics } from "hotpath-lab/metrics";
import { Registry } from "prom-client";

/**
 * Four workers count their requests and how long they took. One thread shows them all, as a server answers Prometheus.
 * It prints:
 *
 *     # HELP requests_total requests answered
 *     # TYPE requests_total counter
 *     requests_total{route="/"} 7500
 *     requests_total{route="/cart"} 2500
 *     # HELP latency_seconds time to the last byte, in s
 *     # TYPE latency_seconds histogram
 *     latency_seconds_bucket{le="0.01"} 2500
 *     latency_seconds_bucket{le="0.02"} 7500
 *     latency_seconds_bucket{le="0.03"} 10000
 *     latency_seconds_bucket{le="+Inf"} 10000
 *     latency_seconds_sum 156.25
 *     latency_seconds_count 10000
 */
const WORKERS = 4;
const REQUESTS_PER_WORKER = 2500;

if (isMainThread) {
  const registry = new Registry();
  const metrics = makeMetrics({
    workers: WORKERS,
    counters: { requests_total: { help: "requests answered", labels: { route: ["/", "/cart"] } } },
    histograms: { latency_seconds: { help: "time to the last byte, in s", buckets: [0.01, 0.02, 0.03] } },
  });
  registerMetrics(metrics, registry);
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { metrics, index } }), "exit"),
  );
  await Promise.all(ends);
  // Without the empty lines between metrics.
  process.stdout.write((await registry.metrics()).replaceAll("\n\n", "\n"));
} else {
  const { metrics, index } = workerData as {
    readonly metrics: MetricsInstance<"requests_total", "latency_seconds">;
    readonly index: number;
  };
  const { requests_total, latency_seconds } = attachMetrics(metrics, index);
  for (let request = 0; request < REQUESTS_PER_WORKER; request++) {
    requests_total.labels({ route: request % 4 === 0 ? "/cart" : "/" }).add();
    latency_seconds.record([2, 3, 4, 7][request % 4]! / 256);
  }
}
