/** What a program needs to count; the competitors are modules of their own, `hotpath-lab/metrics/<name>`. */
export {
  attachBucket,
  type Bucket,
  type BucketInstance,
  type BucketOptions,
  makeBucket,
} from "../limits/limits.instance.ts";
export { freeSeat } from "../shared/instance.ts";
export type { MetricsCompetitor, MetricsSetup, Recorder, Totals } from "./metrics.contract.ts";
export {
  attachMetrics,
  type Counter,
  type Histogram,
  type HistogramOptions,
  type HistogramReading,
  type MetricsInstance,
  type MetricsOptions,
  makeMetrics,
  type Readings,
  readMetrics,
  type WorkerMetrics,
} from "./metrics.instance.ts";
export { type PrometheusRegistry, registerMetrics } from "./parts/prometheus.ts";
