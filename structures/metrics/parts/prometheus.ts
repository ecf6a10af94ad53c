import { type MetricsInstance, readersOf } from "../metrics.instance.ts";

/** The part of prom-client's Registry that is used here: that of its versions 14 and 15. */
export interface PrometheusRegistry {
  registerMetric(metric: never): void;
}

/**
 * Enters the metrics in a registry of prom-client, whose `metrics()` then shows what all workers have counted at that
 * moment. Called once, in the thread that answers Prometheus. A histogram has a bucket for each doubling, which is what
 * prom-client's `exponentialBuckets(lowest, 2, n)` makes. Throws, in one line, for a value that makeMetrics did not
 * return; the registry throws for a name that it has already.
 *
 * The counts are the workers'. So the registry's `resetMetrics` leaves them as they are.
 */
export function registerMetrics(instance: MetricsInstance, registry: PrometheusRegistry): void {
  const { counters, histograms } = readersOf(instance);
  for (const [name, read] of counters)
    register(registry, name, "counter", instance.counters[name]!, () => [{ value: read(), labels: {} }]);
  for (const [name, read] of histograms) {
    register(registry, name, "histogram", instance.histograms[name]!.help, () => {
      const { buckets, sum, count } = read();
      return [
        ...buckets.map(({ le, count }) => ({
          metricName: `${name}_bucket`,
          labels: { le: le === Number.POSITIVE_INFINITY ? "+Inf" : le },
          value: count,
        })),
        { metricName: `${name}_sum`, labels: {}, value: sum },
        { metricName: `${name}_count`, labels: {}, value: count },
      ];
    });
  }
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function register(
  registry: PrometheusRegistry,
  name: string,
  type: "counter" | "histogram",
  help: string,
  values: () => Sample[],
): void {
  const metric = {
    // A registry for OpenMetrics takes _total from a counter's name and writes the name back.
    name,
    help,
    type,
    // "sum": prom-client's AggregatorRegistry adds up processes, each of which may have workers.
    get: () => ({ name: metric.name, help, type, aggregator: "sum", values: values() }),
    reset() {},
  };
  registry.registerMetric(metric as never);
}
