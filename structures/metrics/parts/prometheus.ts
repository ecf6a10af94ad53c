import { shown } from "../../shared/arguments.ts";
import { type MetricsInstance, readingMetrics } from "../metrics.instance.ts";
import type { HistogramReading } from "./readings.ts";

/** The part of prom-client's Registry that is used here: that of its versions 14 and 15. */
export interface PrometheusRegistry {
  registerMetric(metric: never): void;
}

/**
 * Enters the metrics in a registry of prom-client, whose `metrics()` then shows what all workers have counted at that
 * moment. Called once, in the thread that answers Prometheus. A histogram has a bucket for each doubling, which is what
 * prom-client's `exponentialBuckets(lowest, 2, n)` makes, or those of your own. Throws, in one line, for a value that
 * makeMetrics did not return; the registry throws for a name that it has already.
 *
 * The counts are the workers'. So the registry's `resetMetrics` leaves them as they are.
 */
export function registerMetrics(instance: MetricsInstance, registry: PrometheusRegistry): void {
  const { metrics, read } = readingMetrics(instance);
  if (typeof registry?.registerMetric !== "function")
    throw new TypeError(`registerMetrics: ${shown(registry)} is no registry: give one of prom-client`);
  for (const metric of metrics) {
    const { name, series } = metric;
    registry.registerMetric(
      new Shown(metric, () =>
        series.flatMap((labels, at) => {
          const value = read(metric, [at]);
          return typeof value === "number" ? [{ labels, value }] : samplesOf(name, labels, value);
        }),
      ) as never,
    );
  }
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function samplesOf(
  name: string,
  labels: Sample["labels"],
  { buckets, sum, count }: HistogramReading,
): Sample[] {
  return [
    ...buckets.map((bucket) => ({
      metricName: `${name}_bucket`,
      labels: { le: bucket.le === Number.POSITIVE_INFINITY ? "+Inf" : bucket.le, ...labels },
      value: bucket.count,
    })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** A metric as prom-client's registries use one. */
class Shown {
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly #name: string;
  readonly #values: () => Sample[];
  #shortened: string | undefined;

  constructor(
    metric: {
      readonly name: string;
      readonly help: string;
      readonly type: string;
      readonly aggregator: string;
    },
    values: () => Sample[],
  ) {
    this.#name = metric.name;
    this.help = metric.help;
    this.type = metric.type;
    // By which prom-client's AggregatorRegistry puts processes together, each of which may have workers.
    this.aggregator = metric.aggregator;
    this.#values = values;
  }

  get name(): string {
    return this.#name;
  }

  /** A registry for OpenMetrics takes _total from a counter's name, and at once asks for what it shows by the new one. */
  set name(shortened: string) {
    this.#shortened = shortened;
  }

  get() {
    const { help, type, aggregator } = this;
    const name = this.#shortened ?? this.#name;
    this.#shortened = undefined;
    return { name, help, type, aggregator, values: this.#values() };
  }

  reset(): void {}
}
