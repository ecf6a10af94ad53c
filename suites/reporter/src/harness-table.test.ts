import assert from "node:assert/strict";
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
function timing(mean: number, part: Partial<Timing> = {}): Timing {
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
    ...part,
  };
}

function benchmark(name: string, mean: number, part: Partial<Timing> = {}, group?: string): Benchmark {
  return { name, timing: timing(mean, part), status: "completed", group };
}

function runOf(...benchmarks: readonly Benchmark[]): HarnessRun {
  return { harness: "stopwatch", provenance: [], benchmarks, sampling: "By hand." };
}

const THREE = runOf(benchmark("map", 2000), benchmark("find", 40_000), benchmark("get", 2001));
const FAILED: Benchmark = { name: "fails", status: "error: no such key", group: "second" };
const ORDERED = runOf(
  benchmark("b", 300, { median: 320 }, "second"),
  FAILED,
  benchmark("c", 900, {}, "first"),
  benchmark("a", 700, {}, "first"),
  benchmark("d", 200, { median: 330 }, "second"),
);
const GROUPS = runOf(
  benchmark("old", 1000, {}, "small"),
  benchmark("new", 500, {}, "small"),
  benchmark("old", 9000, {}, "large"),
  benchmark("new", 27_000, {}, "large"),
  benchmark("new", 100, {}, "alone"),
);
const NAMED = runOf({ ...benchmark("old", 1000), isBaseline: true }, benchmark("new", 500));
const SHORT = runOf(
  benchmark("empty", 40),
  benchmark("short", 199),
  benchmark("long", 200),
  benchmark("batch", 1, { callsPerSample: 4096 }),
  benchmark("saved", 1, { callsPerSample: undefined }),
);
/** The same means, and other medians. */
const SKEWED = runOf(
  benchmark("old", 1000, { median: 370, p75: 407 }),
  benchmark("new", 1000, { median: 671, p75: 738 }),
);
const WITHOUT_MEDIANS = runOf(
  benchmark("old", 370, { median: undefined }),
  benchmark("new", 671, { median: undefined }),
);

function besideOld(name: string, part: Partial<Timing>, mean = 500): HarnessRun {
  return runOf(benchmark(name, mean, part), benchmark("old", 1000), benchmark("new", 500));
}

/** Samples that say too little for an interval. */
function unclear(part: Partial<Timing>): HarnessRun {
  return runOf(benchmark("old", 1000, part), benchmark("new", 1030, part));
}

const ALIKE = { marginOfError: 0, standardDeviation: 0, standardError: 0 };
const FLAT = { min: 100, median: 100, p75: 100, p99: 100, p999: 100, max: 100 };
const ofAll = (value: number) => ({
  mean: value,
  median: value,
  max: value,
  spread: { marginOfError: value, standardDeviation: value, standardError: value },
});

const VERDICTS = { baseline: "old", columns: ["rank", "mean", "median", "ratio", "verdict"] } as const;
const CASES: Readonly<Record<string, readonly [HarnessRun, HarnessOptions]>> = {
  "all columns, with a baseline": [THREE, { baseline: "map", provenance: [["Machine", "EPYC"]] }],
  "the short set": [THREE, { baseline: "map", columns: "short" }],
  "the short set, of means, without a baseline": [THREE, { columns: "short", statistic: "mean" }],
  "columns in the order asked for, without the ones that nothing fills": [
    THREE,
    { columns: ["p99", "mean", "heap"] },
  ],
  "in ns": [THREE, { timeUnit: "ns", columns: ["median", "error", "max", "throughput"] }],
  "in s": [THREE, { timeUnit: "s", columns: ["mean"] }],
  "memory and collections": [
    runOf(benchmark("copy", 1000, { heap: 2_500_000, gc: 3_000_000 })),
    { columns: ["heap", "gc"] },
  ],
  "as they ran": [ORDERED, { columns: ["group", "mean"] }],
  "by mean": [ORDERED, { sort: "mean", columns: ["mean"] }],
  "by median": [ORDERED, { sort: "median", columns: ["median"] }],
  "by name": [ORDERED, { sort: "name", columns: ["mean"] }],
  "groups have baselines and ranks of their own": [
    GROUPS,
    { baseline: "old", columns: ["group", "rank", "ratio", "verdict"] },
  ],
  "a baseline that the harness names": [NAMED, { columns: ["ratio", "verdict"] }],
  "another baseline than the harness names": [NAMED, { baseline: "new", columns: ["ratio", "verdict"] }],
  "a baseline without figures": [
    runOf({ name: "old", status: "aborted" }, benchmark("new", 500)),
    { baseline: "old", columns: "short" },
  ],
  "no spread": [besideOld("none", { spread: undefined, samples: 1 }), VERDICTS],
  "near the clock's tick": [SHORT, { baseline: "empty", columns: ["mean", "ratio", "verdict"] }],
  "near a shorter tick": [SHORT, { clockTick: 10, columns: ["mean"] }],
  "a mean of zero": [
    besideOld("nothing", {}, 0),
    { baseline: "old", columns: ["rank", "mean", "ratio", "throughput"] },
  ],
  "figures that are no numbers": [besideOld("broken", ofAll(Number.NaN)), { baseline: "old" }],
  "figures without an end": [
    besideOld("broken", ofAll(Number.POSITIVE_INFINITY)),
    { ...VERDICTS, sort: "mean" },
  ],
  "figures below all, by means": [
    besideOld("broken", ofAll(Number.NEGATIVE_INFINITY)),
    { ...VERDICTS, statistic: "mean", sort: "median" },
  ],
  "an error that is no number": [
    besideOld("unsure", { spread: { ...ALIKE, standardError: Number.NaN } }),
    { ...VERDICTS, statistic: "mean" },
  ],
  "medians differ": [SKEWED, VERDICTS],
  "means do not": [SKEWED, { ...VERDICTS, statistic: "mean" }],
  "no medians": [WITHOUT_MEDIANS, { baseline: "old", columns: "short" }],
  "two samples": [unclear({ samples: 2 }), VERDICTS],
  "nine samples, by means": [unclear({ samples: 9 }), { ...VERDICTS, statistic: "mean" }],
  "ten samples": [unclear({ samples: 10 }), VERDICTS],
  "nobody knows how many samples": [unclear({ samples: undefined }), VERDICTS],
  "samples that are all alike": [unclear({ ...FLAT, spread: ALIKE }), { ...VERDICTS, statistic: "mean" }],
  "samples of two values": [unclear({ ...FLAT, max: 140 }), VERDICTS],
};

test("the table of a run", (t) => {
  const texts = Object.entries(CASES).map(([name, [run, options]]) => [
    name,
    toMarkdown(harnessTable(run, options)),
  ]);
  const parts = folded(harnessTable(THREE, { baseline: "map" }), 80).map((part) => toMarkdown(part));
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
