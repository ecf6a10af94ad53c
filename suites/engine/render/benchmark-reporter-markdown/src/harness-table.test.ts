import assert from "node:assert/strict";
import { test } from "node:test";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { folded } from "./fold.ts";
import type { Benchmark, HarnessRun, Timing } from "./harness.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { harnessTable } from "./harness-table.ts";
import { toMarkdown } from "./table.ts";

/** Of a thousand samples of a call each, whose mean is known to `relativeError`. */
function timing(mean: number, relativeError = 0.001): Timing {
  const standardError = mean * relativeError;
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

function benchmark(name: string, mean: number, rest: Partial<Benchmark> = {}): Benchmark {
  return { name, timing: timing(mean), status: "completed", ...rest };
}

function runOf(...benchmarks: readonly Benchmark[]): HarnessRun {
  return { harness: "stopwatch", provenance: [], benchmarks, sampling: "By hand." };
}

/** A column's cells, by the names of the rows. */
function column(run: HarnessRun, key: string, options: HarnessOptions = {}): Record<string, unknown> {
  const { rows } = harnessTable(run, options);
  return Object.fromEntries(rows.map(({ cells }) => [cells.benchmark, cells[key] ?? null]));
}

const THREE = runOf(benchmark("map", 2000), benchmark("find", 40_000), benchmark("get", 2001));

test("a table with a baseline", () => {
  const table = harnessTable(THREE, { baseline: "map", provenance: [["Machine", "EPYC"]] });
  assert.equal(
    toMarkdown(table),
    `## stopwatch

- Harness: stopwatch
- Machine: EPYC

| Benchmark | Rank | Median (µs/op) | Ratio of medians | Verdict     | Mean (µs/op) | Error (µs/op) | p75 (µs/op) | p99 (µs/op) | p999 (µs/op) | Min (µs/op) | Max (µs/op) | StdDev (µs/op) | Throughput (k/s) | Samples |
| :-------- | ---: | -------------: | ---------------: | :---------- | -----------: | ------------: | ----------: | ----------: | -----------: | ----------: | ----------: | -------------: | ---------------: | ------: |
| **map**   |    1 |              2 |                1 | baseline    |            2 |         0.004 |           3 |          20 |          200 |           1 |       2,000 |        0.06325 |              500 |   1,000 |
| find      |    3 |             40 | 20.0 (18.0-22.3) | **slower**  |           40 |          0.08 |          60 |         400 |        4,000 |          20 |      40,000 |          1.265 |               25 |   1,000 |
| get       |    1 |          2.001 | 1.00 (0.90-1.12) | cannot tell |        2.001 |      0.004002 |       3.002 |       20.01 |        200.1 |       1.001 |       2,001 |        0.06328 |            499.8 |   1,000 |

- By hand.
- Error is half the 95% confidence interval of the mean over these samples. How processes differ from each other is not in it.
- Ratio is the median over that of the baseline, with an interval from the standard errors of both (delta method on the logarithm, 95% for all pairs of the table together). It takes the samples for independent and speaks of this run alone: in another process the ratio may be another.
- Verdict is faster or slower where the interval lies wholly beyond 3%, same where it lies wholly within, and else cannot tell.
- Rank is 1 + how many are faster, by more than their intervals and 3%, so that ties share a place.
- Throughput is one over the mean.
`,
  );
});

test("folded, each part begins with the name, and the first has what was asked for", () => {
  const [first] = folded(harnessTable(THREE, { baseline: "map" }), 80);
  assert.deepEqual(
    first!.columns.map(({ key }) => key),
    ["benchmark", "rank", "median", "ratio", "verdict"],
  );
});

test("all times are in one unit: the one that is asked for, and else that of what is compared", () => {
  const titles = (options: HarnessOptions) =>
    harnessTable(THREE, { ...options, columns: ["median", "error", "max", "throughput"] }).columns.map(
      ({ unit }) => unit,
    );
  assert.deepEqual(titles({}), [undefined, "µs/op", "µs/op", "µs/op", "k/s"]);
  assert.deepEqual(titles({ timeUnit: "auto" }), titles({}));
  assert.deepEqual(titles({ timeUnit: "ns" }), [undefined, "ns/op", "ns/op", "ns/op", "k/s"]);
  assert.deepEqual(column(THREE, "mean", { timeUnit: "s" }), { map: 2e-6, find: 4e-5, get: 2.001e-6 });
});

test("memory has its own units, and a forced collection is not of one call", () => {
  const withMemory = benchmark("copy", 1000, { timing: { ...timing(1000), heap: 2_500_000, gc: 3_000_000 } });
  const { columns, rows, legend } = harnessTable(runOf(withMemory), { columns: ["heap", "gc"] });
  assert.deepEqual(
    columns.map(({ title, unit }) => [title, unit]),
    [
      ["Benchmark", undefined],
      ["Heap", "MB/op"],
      ["GC", "µs"],
    ],
  );
  assert.deepEqual(rows[0]!.cells, { benchmark: "copy", heap: 2.5, gc: 3000 });
  assert.equal(legend.length, 3);
});

test("columns stand as they are asked for, and the legend speaks of these alone", () => {
  const table = harnessTable(THREE, { columns: ["p99", "mean", "heap"] });
  assert.deepEqual(
    table.columns.map(({ key }) => key),
    ["benchmark", "p99", "mean"],
  );
  assert.deepEqual(table.legend, ["By hand."]);
});

test("rows stand as they ran, or by a figure or their names, within their groups", () => {
  const failed: Benchmark = { name: "fails", status: "error: no such key", group: "second" };
  const run = runOf(
    benchmark("b", 300, { group: "second" }),
    failed,
    benchmark("c", 900, { group: "first" }),
    benchmark("a", 700, { group: "first" }),
    benchmark("d", 200, { group: "second" }),
  );
  const names = (options: HarnessOptions) =>
    harnessTable(run, options)
      .rows.map(({ cells }) => cells.benchmark)
      .join(" ");
  assert.equal(names({}), "b fails d c a");
  assert.equal(names({ sort: "mean" }), "d b fails a c");
  assert.equal(names({ sort: "median" }), "d b fails a c");
  assert.equal(names({ sort: "name" }), "b d fails a c");
});

test("each group has a baseline, ranks and ratios of its own", () => {
  const run = runOf(
    benchmark("old", 1000, { group: "small" }),
    benchmark("new", 500, { group: "small" }),
    benchmark("old", 9000, { group: "large" }),
    benchmark("new", 27_000, { group: "large" }),
    benchmark("new", 100, { group: "alone" }),
  );
  const { rows } = harnessTable(run, { baseline: "old", columns: ["group", "rank", "ratio", "verdict"] });
  assert.deepEqual(
    rows.map(({ cells }) => Object.values(cells).join(" ")),
    [
      "**old** small 2 1 baseline",
      "new small 1 0.50 (0.45-0.56) **faster**",
      "**old** large 1 1 baseline",
      "new large 2 3.00 (2.71-3.32) **slower**",
      "new alone   ",
    ],
  );
});

test("a harness that named the baseline need not be given it again, and can be overruled", () => {
  const run = runOf(benchmark("old", 1000, { isBaseline: true }), benchmark("new", 500));
  assert.deepEqual(column(run, "verdict"), { "**old**": "baseline", new: "**faster**" });
  assert.deepEqual(column(run, "verdict", { baseline: "new" }), {
    old: "**slower**",
    "**new**": "baseline",
  });
});

test("a baseline without figures compares nothing", () => {
  const run = runOf(benchmark("old", 1000, { timing: undefined, status: "aborted" }), benchmark("new", 500));
  const table = harnessTable(run, { baseline: "old" });
  assert.doesNotMatch(toMarkdown(table), /Ratio|Verdict|Rank/);
  assert.deepEqual(column(run, "status", { baseline: "old" }), { old: "aborted", new: "completed" });
});

test("without samples there is a ratio, and the legend says why it has no interval", () => {
  const unknown = { ...timing(500), spread: undefined, samples: 1 };
  const run = runOf(benchmark("old", 1000), benchmark("new", 500, { timing: unknown }));
  assert.deepEqual(column(run, "ratio", { baseline: "old" }), { "**old**": "1", new: "0.50 (unknown)" });
  assert.deepEqual(column(run, "verdict", { baseline: "old" }), {
    "**old**": "baseline",
    new: "cannot tell",
  });
  assert.deepEqual(column(run, "rank", { baseline: "old" }), { "**old**": 1, new: null });
  assert.match(harnessTable(run, { baseline: "old" }).legend.at(-1)!, /^An interval is unknown where/);
});

test("what takes few ticks of the clock is marked, and two such cannot be distinguished", () => {
  const run = runOf(
    benchmark("empty", 40),
    benchmark("short", 199),
    benchmark("long", 200),
    benchmark("batch", 1, { timing: { ...timing(1), callsPerSample: 4096 } }),
    benchmark("saved", 1, { timing: { ...timing(1), callsPerSample: undefined } }),
  );
  const marked = (options: HarnessOptions) =>
    harnessTable(run, options)
      .rows.filter(({ mark }) => mark === "†")
      .map(({ cells }) => cells.benchmark);
  assert.deepEqual(marked({}), ["empty", "short"]);
  assert.deepEqual(marked({ clockTick: 10 }), ["empty"]);
  assert.match(
    harnessTable(run, {}).legend.at(-1)!,
    /^† A sample takes less than 5 ticks of the clock, 40 ns each: /,
  );
  assert.equal(column(run, "verdict", { baseline: "empty" }).short, "cannot tell");
  assert.equal(column(run, "verdict", { baseline: "empty" }).long, "**slower**");
});

test("a mean of zero has no ratio, no rank and no throughput", () => {
  const run = runOf(benchmark("nothing", 0), benchmark("some", 500), benchmark("more", 900));
  assert.equal(column(run, "throughput").nothing, null);
  assert.equal(column(run, "rank").nothing, null);
  assert.equal(column(run, "ratio", { baseline: "some" }).nothing, null);
});

test("figures that are not finite are no numbers, take no place, and cost no other row its own", () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const spread = { marginOfError: wrong, standardDeviation: wrong, standardError: wrong };
    const broken = benchmark("broken", 500, {
      timing: { ...timing(500), mean: wrong, median: wrong, max: wrong, spread },
    });
    const run = runOf(broken, benchmark("old", 1000), benchmark("new", 500));
    for (const statistic of ["median", "mean"] as const) {
      const options = { baseline: "old", statistic };
      const of = (key: string) => column(run, key, options).broken;
      assert.deepEqual(
        ["rank", "median", "mean", "max", "error", "ratio", "verdict", "throughput", "status"].map(of),
        [null, "no number", "no number", "no number", "no number", null, null, null, "no number"],
      );
      assert.deepEqual(column(run, "rank", options), { broken: null, "**old**": 2, new: 1 });
      assert.equal(column(run, "verdict", options).new, "**faster**");
      assert.match(toMarkdown(harnessTable(run, { ...options, sort: statistic })), /\n\| broken .*\n\n- /);
    }
  }
  // The error alone.
  const spread = { marginOfError: 1, standardDeviation: 1, standardError: Number.NaN };
  const unsure = runOf(benchmark("old", 1000), benchmark("new", 500, { timing: { ...timing(500), spread } }));
  assert.equal(column(unsure, "ratio", { baseline: "old", statistic: "mean" }).new, "0.50 (unknown)");
});

test("what is compared is the median, or the mean if it is asked for or there is no median", () => {
  const skewed = (name: string, median: number) =>
    benchmark(name, 1000, { timing: { ...timing(1000), median, p75: 1.1 * median } });
  const run = runOf(skewed("old", 370), skewed("new", 671));
  const ratio = (options: HarnessOptions) => {
    const { columns, legend } = harnessTable(run, { baseline: "old", ...options });
    const { title } = columns.find(({ key }) => key === "ratio")!;
    const line = legend
      .find((each) => each.startsWith("Ratio is the "))!
      .split(" ", 4)
      .at(-1);
    return [title, line, column(run, "verdict", { baseline: "old", ...options }).new];
  };
  assert.deepEqual(ratio({}), ["Ratio of medians", "median", "**slower**"]);
  assert.deepEqual(ratio({ statistic: "mean" }), ["Ratio of means", "mean", "same"]);
  const withoutMedians = run.benchmarks.map((each) => ({
    ...each,
    timing: { ...each.timing!, median: undefined },
  }));
  const [, mean] = harnessTable(
    { ...run, benchmarks: withoutMedians },
    { baseline: "old", columns: "short" },
  ).columns;
  assert.equal(mean?.key, "rank");
  assert.equal(
    harnessTable({ ...run, benchmarks: withoutMedians }, { baseline: "old" }).columns.find(
      ({ key }) => key === "ratio",
    )?.title,
    "Ratio of means",
  );
});

test("few samples, and samples that hardly differ, have no interval, no verdict and no rank", () => {
  const alike = { marginOfError: 0, standardDeviation: 0, standardError: 0 };
  const flat = { min: 100, median: 100, p75: 100, p99: 100, p999: 100, max: 100 };
  const cases: Partial<Timing>[] = [
    { samples: 2 },
    { samples: 9 },
    { samples: undefined },
    { ...flat, spread: alike },
    { ...flat, max: 140 },
  ];
  for (const part of cases) {
    for (const statistic of ["median", "mean"] as const) {
      const few = (name: string, factor: number): Benchmark =>
        benchmark(name, 100 * factor, { timing: { ...timing(100 * factor), ...part }, status: "completed" });
      const run = runOf(few("old", 10), few("new", 10.3));
      const options = { baseline: "old", statistic };
      assert.match(`${column(run, "ratio", options).new}`, / \(unknown\)$/);
      assert.equal(column(run, "verdict", options).new, "cannot tell");
      assert.equal(column(run, "rank", options).new, null);
    }
  }
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
    const run = runOf(drawn("old", 101), drawn("new", 401));
    const text = `${column(run, "ratio", { baseline: "old" }).new}`;
    return /\((?<low>[\d.]+)-(?<high>[\d.]+)\)/.exec(text)!.groups!;
  });
  const missed = intervals.filter(({ low, high }) => Number(low) > 1 || Number(high) < 1).length;
  // Of 1000 at 95 %, at most 50 and three standard deviations of 7: above the median the density is less than at it.
  assert.ok(missed > 0 && missed < 72, `${missed}`);
});

test("the short set of columns tells which is faster, and by how much", () => {
  const keys = (options: HarnessOptions) => harnessTable(THREE, options).columns.map(({ key }) => key);
  assert.deepEqual(keys({ baseline: "map", columns: "short" }), [
    "benchmark",
    "rank",
    "median",
    "ratio",
    "verdict",
  ]);
  assert.deepEqual(keys({ columns: "short", statistic: "mean" }), ["benchmark", "rank", "mean"]);
  assert.deepEqual(keys({ columns: "all" }), keys({}));
});
