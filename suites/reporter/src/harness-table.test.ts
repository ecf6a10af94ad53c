import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { goldenCases } from "../../engine/golden.trials.ts";
import { folded } from "./fold.ts";
import type { Benchmark, HarnessRun, Timing } from "./harness.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { harnessTable } from "./harness-table.ts";
import { toMarkdown } from "./table.ts";

/** Of a thousand samples of a call each, whose mean is known to a thousandth. */
function timingOf(mean: number): Timing {
  const standardError = mean / 1000;
  return {
    mean,
    min: mean / 2,
    median: mean,
    p75: mean * 1.5,
    p99: mean * 10,
    p999: mean * 100,
    max: mean * 1000,
    spread: {
      marginOfError: 2 * standardError,
      standardDeviation: standardError * Math.sqrt(1000),
      standardError,
    },
    samples: 1000,
    callsPerSample: 1,
  };
}

function runOf(...benchmarks: readonly Benchmark[]): HarnessRun {
  return { harness: "stopwatch", provenance: [], benchmarks, sampling: "By hand." };
}

/** A benchmark of a case: its mean, and what of its timing does not follow from that; or how it failed. */
interface Measured extends Partial<Benchmark> {
  readonly name: string;
  readonly mean?: number;
  readonly part?: Partial<Timing>;
  readonly without?: readonly (keyof Timing)[];
}

interface Case {
  readonly benchmarks: readonly Measured[];
  readonly options: HarnessOptions;
}

const CASES: Readonly<Record<string, Case>> = JSON.parse(
  readFileSync(new URL("../testdata/harness-tables.json", import.meta.url), "utf8"),
  // JSON has no such numbers.
  (_, value) => (/^NaN$|^-?Infinity$/.test(value) ? Number(value) : value),
);

function measured({ mean, part, without = [], ...rest }: Measured): Benchmark {
  if (mean === undefined) return { status: "completed", ...rest };
  const absent = Object.fromEntries(without.map((key) => [key, undefined]));
  return { status: "completed", ...rest, timing: { ...timingOf(mean), ...part, ...absent } };
}

test("the table of a run", (t) => {
  const tables = Object.entries(CASES).map(([name, { benchmarks, options }]) => {
    return [name, harnessTable(runOf(...benchmarks.map(measured)), options)] as const;
  });
  const texts = tables.map(([name, table]) => [name, toMarkdown(table)]);
  const parts = folded(tables[0]![1], 80).map((part) => toMarkdown(part));
  goldenCases(t, "../testdata/harness-tables.md", {
    ...Object.fromEntries(texts),
    "folded: each part begins with the name, and the first has what was asked for": parts.join("\n"),
  });
});

test("of samples with a long tail the intervals of medians miss no more often than they should", () => {
  const random = xoroshiro128plus(1);
  const uniform = () => uniformFloat64(random);
  // Lognormal, by Box and Muller, in ns that are long beside a tick.
  const sample = () =>
    1e6 * Math.exp(0.5 * Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()));
  const drawn = (name: string, count: number): Benchmark => {
    const samples = Array.from({ length: count }, sample).sort((a, b) => a - b);
    const at = (share: number) => samples[Math.floor(share * count)]!;
    const quantiles = { min: at(0), median: at(0.5), p75: at(0.75), p99: at(0.99), max: samples.at(-1) };
    const mean = samples.reduce((sum, value) => sum + value, 0) / count;
    const timing = { ...quantiles, mean, p999: undefined, samples: count, callsPerSample: 1 };
    return { name, timing, status: "completed" };
  };
  const intervals = Array.from({ length: 1000 }, () => {
    const { rows } = harnessTable(runOf(drawn("old", 101), drawn("new", 401)), { baseline: "old" });
    return /\((?<low>[\d.]+)-(?<high>[\d.]+)\)/.exec(`${rows[1]!.cells.ratio}`)!.groups!;
  });
  const missed = intervals.filter(({ low, high }) => Number(low) > 1 || Number(high) < 1).length;
  // Of 1000 at 95 %, at most 50 and three standard deviations of 7: above the median the density is less than at it.
  assert.ok(missed > 0 && missed < 72, `${missed}`);
});
