import assert from "node:assert/strict";
import { test } from "node:test";
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

| Benchmark | Rank | Mean (µs/op) | Error (ns/op) |            Ratio | Verdict    | Median (µs/op) | p75 (µs/op) | p99 (µs/op) | p999 (µs/op) | Min (µs/op) | Max (ms/op) | StdDev (ns/op) | Throughput | Samples |
| :-------- | ---: | -----------: | ------------: | ---------------: | :--------- | -------------: | ----------: | ----------: | -----------: | ----------: | ----------: | -------------: | ---------: | ------: |
| **map**   |    1 |            2 |             4 |                1 | baseline   |              2 |           3 |          20 |          200 |           1 |           2 |          63.25 |    500 k/s |   1,000 |
| find      |    3 |           40 |            80 | 20.0 (19.9-20.1) | **slower** |             40 |          60 |         400 |        4,000 |          20 |          40 |          1,265 |     25 k/s |   1,000 |
| get       |    1 |        2.001 |         4.002 | 1.00 (1.00-1.00) | same       |          2.001 |       3.002 |       20.01 |        200.1 |       1.001 |       2.001 |          63.28 |    500 k/s |   1,000 |

- By hand.
- Error is half the 95% confidence interval of the mean over these samples. How processes differ from each other is not in it.
- Ratio is the mean over that of the baseline, with an interval from the standard errors of both (delta method on the logarithm, 95% for all pairs of the table together). It takes the samples for independent and speaks of this run alone: in another process the ratio may be another.
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
    ["benchmark", "rank", "mean", "ratio", "verdict"],
  );
});

test("times are in the unit that is asked for, and else each column in the one that makes it readable", () => {
  const titles = (options: HarnessOptions) =>
    harnessTable(THREE, { ...options, columns: ["mean", "max"] }).columns.map(({ unit }) => unit);
  assert.deepEqual(titles({}), [undefined, "µs/op", "ms/op"]);
  assert.deepEqual(titles({ timeUnit: "auto" }), titles({}));
  assert.deepEqual(titles({ timeUnit: "ns" }), [undefined, "ns/op", "ns/op"]);
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
      ["GC", "ms"],
    ],
  );
  assert.deepEqual(rows[0]!.cells, { benchmark: "copy", heap: 2.5, gc: 3 });
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
      "new small 1 0.50 (0.50-0.50) **faster**",
      "**old** large 1 1 baseline",
      "new large 2 3.00 (2.99-3.01) **slower**",
      "new alone   ",
    ],
  );
});

test("a harness that was told the baseline need not be told again, and can be overruled", () => {
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

test("what takes few ticks of the clock is marked, and two such cannot be told apart", () => {
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

test("figures that are not finite are no values", () => {
  const broken = { ...timing(500), median: Number.NaN, max: Number.POSITIVE_INFINITY };
  const run = runOf(benchmark("broken", 500, { timing: broken }));
  const { columns } = harnessTable(run, {});
  assert.deepEqual(
    columns.filter(({ key }) => key === "median" || key === "max"),
    [],
  );
});

test("options that do not fit the run are refused in one line", () => {
  const refusals: [HarnessOptions, string][] = [
    [{ baseline: "mop" }, 'baseline: "mop" is none of map, find, get'],
    [{ timeUnit: "h" as "s" }, 'timeUnit: "h" is none of auto, ns, us, ms, s'],
    [{ sort: "size" as "name" }, 'sort: "size" is none of run, mean, median, name'],
    [{ clockTick: 0 }, "clockTick: 0 is not above zero: give nanoseconds"],
    [{ clockTick: Number.NaN }, "clockTick: NaN is not above zero: give nanoseconds"],
  ];
  for (const [options, message] of refusals) {
    assert.throws(() => harnessTable(THREE, options), new RangeError(message));
  }
  assert.throws(
    () => harnessTable(THREE, { columns: ["p98" as "p99"] }),
    /^RangeError: columns: "p98" is none of group, rank, mean, error, ratio, /,
  );
});
