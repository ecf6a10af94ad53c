import type { Figures, Format, Written } from "./figures.ts";

/**
 * Bencher Metric Format (https://bencher.dev/bmf.json; bencherdev/bencher, docs-reference "Bencher Metric Format"):
 * `{benchmark: {measure: {value, lower_value?, upper_value?}}}`. A benchmark is a cell.
 *
 * Bencher knows the measure `latency`, in ns; it makes any other that it is given, without a unit. So the unit of a
 * metric is part of its measure's name. What a survey calls its latency, in ms, is then a separate measure.
 */
interface Metric {
  readonly value: number;
  readonly lower_value?: number;
  readonly upper_value?: number;
}

/** Most characters of a benchmark's name (bencher_valid, benchmark_name.rs) and of a slug (`MAX_LEN` in lib.rs). */
const LONGEST_NAME = 1024;
const LONGEST_SLUG = 64;

export const bencher: Format = {
  help: `
      Bencher Metric Format, for its adapter json. A benchmark is a cell; a race has
      the measures latency (ns, 99 % interval) and ratio (to the baseline). Each
      metric of a simulation (median and 5 to 95 % of its seeds) or survey (median
      and range of its processes) is a measure named after it and its unit:
      bytes-filled-b-timer.`,
  holdsRuns: false,
  metrics: ["simulation", "survey"],
  differences: ["commit", "machine", "runtime"],
  consequence: (differences) =>
    `the records differ in ${differences}, and Bencher files a report under one branch and testbed`,
  write,
};

function write({ races, metrics }: Figures): Written {
  const benchmarks: Record<string, Record<string, Metric>> = {};
  let values = 0;
  const add = (cell: string, measure: string, metric: Metric) => {
    if (cell.length === 0 || cell.length > LONGEST_NAME)
      throw new Error(`${cell} cannot be exported: Bencher's names have 1 to ${LONGEST_NAME} characters`);
    benchmarks[cell] ??= {};
    if (Object.hasOwn(benchmarks[cell], measure))
      throw new Error(`${cell} has two metrics that Bencher would call ${measure}`);
    benchmarks[cell][measure] = metric;
    values++;
  };
  for (const { cell, row } of races) {
    add(cell, "latency", within(row.median, row.interval));
    if (row.ratio !== undefined) add(cell, "ratio", within(row.ratio.value, row.ratio));
  }
  for (const { cell, key, unit, spread } of metrics)
    add(cell, measureOf(key, unit), within(spread.value, spread));
  return { text: `${JSON.stringify(benchmarks, null, 2)}\n`, values };
}

/** An end that is not finite has no place in JSON and is left out; the format asks for neither. */
function within(value: number, interval?: { readonly low: number; readonly high: number }): Metric {
  const { low = Number.NaN, high = Number.NaN } = interval ?? {};
  return {
    value,
    ...(Number.isFinite(low) ? { lower_value: low } : {}),
    ...(Number.isFinite(high) ? { upper_value: high } : {}),
  };
}

/**
 * `bytesFilled` in `B/timer` as `bytes-filled-b-timer`: what Bencher's slugs allow, lower-case letters and digits with
 * single hyphens between. Throws an Error if it is too long.
 */
function measureOf(key: string, unit: string): string {
  const measure = `${key.replaceAll(/(?<=.)(?=[A-Z])/g, "-")} ${unit.replace("%", "percent")}`
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  if (measure.length > LONGEST_SLUG)
    throw new Error(`${measure} is too long for a measure of Bencher's: at most ${LONGEST_SLUG} characters`);
  return measure;
}
