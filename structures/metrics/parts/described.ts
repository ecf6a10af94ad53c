import { assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import { assertBounds, assertRange, type Bounds } from "./buckets.ts";
import { assertLabels, type Labels } from "./labels.ts";

/** What a program says of each metric, and what is made of it: plain data, with all that was left out. */
export interface MetricOptions {
  /** What it says and in which unit, in a line: Prometheus' help text. */
  readonly help: string;
  /**
   * The values that each label may have, as in `{ method: ["GET", "POST"], status: [200, 404, 500] }`. Each combination is
   * a series with words of its own, shown from the start; a metric has 65,536 of them at most.
   */
  readonly labels?: Labels | undefined;
}

export interface GaugeOptions extends MetricOptions {
  /** What the values of all workers make together; "sum" if absent. */
  readonly aggregator?: Aggregator | undefined;
}

export type Aggregator = "sum" | "min" | "max";

/** What is left out has the value that suits latencies in seconds. */
export interface HistogramOptions extends MetricOptions {
  /** Smallest value that is distinguished from smaller ones, more than 0; 0.0001 if absent. */
  readonly from?: number | undefined;
  /** Largest value that is distinguished from larger ones; 100 if absent. */
  readonly to?: number | undefined;
  /** Largest relative error of a quantile between the two, 1 / 2048 .. 0.5; 1 / 32 if absent. */
  readonly error?: number | undefined;
  /** In the place of these three: upper bounds of your own, rising from more than 0. A quantile is as right as they are. */
  readonly buckets?: readonly number[] | undefined;
}

export interface Described {
  readonly help: string;
  readonly labels: Labels;
}

export interface DescribedGauge extends Described {
  readonly aggregator: Aggregator;
}

export type DescribedHistogram = Described & Bounds;

const COUNTER: OptionKinds<MetricOptions> = { help: "any", labels: "object" };
const GAUGE: OptionKinds<GaugeOptions> = { ...COUNTER, aggregator: "any" };
const HISTOGRAM: OptionKinds<HistogramOptions> = {
  ...COUNTER,
  ...{ from: "any", to: "any", error: "any", buckets: "object" },
};

/** Each throws, in one line that begins with `name`, for what no metric can be. */
export function describedCounter(name: string, given: string | MetricOptions): Described {
  return described(name, given, COUNTER).description;
}

export function describedGauge(name: string, given: string | GaugeOptions): DescribedGauge {
  const { options, description } = described<GaugeOptions>(name, given, GAUGE);
  const { aggregator = "sum" } = options;
  if (!["sum", "min", "max"].includes(aggregator))
    throw new RangeError(
      `${name}: aggregator ${JSON.stringify(aggregator)} is neither "sum", "min" nor "max"`,
    );
  return { ...description, aggregator };
}

export function describedHistogram(name: string, given: HistogramOptions): DescribedHistogram {
  const { options, description } = described<HistogramOptions>(name, given, HISTOGRAM);
  const { from, to, error, buckets } = options;
  if (buckets === undefined) {
    const range = { from: from ?? 0.0001, to: to ?? 100, error: error ?? 1 / 32 };
    assertRange(name, range);
    return { ...description, ...range };
  }
  if (from !== undefined || to !== undefined || error !== undefined)
    throw new RangeError(`${name}: buckets take the place of from, to and error: give either`);
  assertBounds(name, { bounds: buckets });
  return { ...description, bounds: [...buckets] };
}

function described<Options extends MetricOptions>(
  name: string,
  given: string | Options,
  kinds: OptionKinds<Options>,
): { readonly options: Options; readonly description: Described } {
  const options = typeof given === "string" ? ({ help: given } as Options) : given;
  assertOptions(name, options, kinds);
  const { help, labels = {} } = options;
  if (typeof help !== "string" || help.trim() === "")
    throw new TypeError(`${name} has no help text: say in a line what it counts`);
  assertLabels(name, labels);
  return { options, description: { help, labels: structuredClone(labels) } };
}

/** Source: the Prometheus data model, "Metric names and labels". */
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Throws, in one line, for names that Prometheus does not allow, or would show twice. */
export function assertNames(others: readonly string[], histograms: readonly string[]): void {
  if (others.length + histograms.length === 0)
    throw new RangeError("no metrics: give counters, gauges or histograms");
  for (const name of [...others, ...histograms]) {
    if (!NAME.test(name))
      throw new RangeError(
        `${JSON.stringify(name)} is no name for Prometheus: use letters, digits, _ and :, and no digit first`,
      );
  }
  const shown = [
    ...others,
    ...histograms.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  ];
  const twice = shown.find((name, at) => shown.indexOf(name) !== at);
  if (twice !== undefined)
    throw new RangeError(
      `Prometheus would show ${twice} twice: rename one metric (a histogram also has _bucket, _sum and _count)`,
    );
}
