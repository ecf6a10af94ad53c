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
  type MetricsInstance,
  type MetricsOptions,
  makeMetrics,
  type Readings,
  readMetrics,
  readSeries,
  type Series,
  type WorkerMetrics,
} from "./metrics.instance.ts";
export type { Aggregator, GaugeOptions, HistogramOptions, MetricOptions } from "./parts/described.ts";
export type { Counter, Gauge, Histogram, Labelled } from "./parts/handles.ts";
export type { Labels, LabelValues } from "./parts/labels.ts";
export { type PrometheusRegistry, registerMetrics } from "./parts/prometheus.ts";
export type { HistogramReading } from "./parts/readings.ts";
