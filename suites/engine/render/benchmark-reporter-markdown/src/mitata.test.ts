import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fromMitata, type MitataResult, type MitataStats } from "./mitata.ts";
import { formatNumber } from "./numbers.ts";
import { toMarkdown } from "./table.ts";

/** 100 ms: few readings fill mitata's least time per benchmark, 642 ms, and none looks fast enough for a batch. */
const CLOCK_STEP_MS = 100;

/** A real run of mitata: its declared type is checked against ours by this assignment. */
let result: MitataResult;

before(async () => {
  // mitata binds the clock and the collector when it is loaded. A clock that steps at each reading makes its statistics
  // known and its run short; without a collector it would have no GC column.
  let nowMs = 0;
  performance.now = () => {
    nowMs += CLOCK_STEP_MS;
    return nowMs;
  };
  setFlagsFromString("--expose-gc");
  globalThis.gc = runInNewContext("gc");

  const { bench, group, run } = await import("mitata");
  bench("map|get", () => {}).baseline();
  bench("throws", () => {
    throw new Error("no such key\nand more");
  });
  bench("size", function* (state: { get(name: string): number }) {
    yield () => state.get("n");
  }).args("n", [1, 2]);
  group("collected", () => {
    bench("inner", () => {}).gc("inner");
  });
  result = await run({ format: "quiet" });
});

test("a real run", () => {
  const table = fromMitata(result, { title: "Lookup", timeUnit: "ms", provenance: [["Machine", "EPYC"]] });
  assert.deepEqual(
    table.provenance.map(([label]) => label),
    ["Harness", "Runtime", "CPU", "Clock frequency", "Machine"],
  );
  assert.deepEqual(table.provenance[1], [
    "Runtime",
    `node ${process.versions.node} (${process.arch}-${process.platform})`,
  ]);
  for (const { cells } of table.rows) {
    if (cells.status === "completed") assert.ok(typeof cells.heap === "number" && cells.heap >= 0);
  }

  // What the heap grew by is the only number here that cannot be known beforehand.
  const rows = table.rows.map(({ cells: { heap, ...cells }, ...row }) => ({ ...row, cells }));
  const columns = table.columns.filter(({ key }) => key !== "heap");
  assert.equal(
    toMarkdown({ ...table, provenance: [], columns, rows, legend: [] }),
    `## Lookup

| Benchmark    | Group     | Median (ms/op) | Ratio of medians | Verdict     | Mean (ms/op) | Error (ms/op) | p75 (ms/op) | p99 (ms/op) | p999 (ms/op) | Min (ms/op) | Max (ms/op) | StdDev (ms/op) | Throughput (/s) | GC (ms) | Samples | Iterations | Status             |
| :----------- | :-------- | -------------: | ---------------: | :---------- | -----------: | ------------: | ----------: | ----------: | -----------: | ----------: | ----------: | -------------: | --------------: | ------: | ------: | ---------: | :----------------- |
| **map\\|get** | –         |            100 |                1 | baseline    |          100 |             0 |         100 |         100 |          100 |         100 |         100 |              0 |              10 |       – |      12 |         12 | completed          |
| throws       | –         |              – |                – | –           |            – |             – |           – |           – |            – |           – |           – |              – |               – |       – |       – |          – | error: no such key |
| size (n=1)   | –         |            100 |   1.00 (unknown) | cannot tell |          100 |             0 |         100 |         100 |          100 |         100 |         100 |              0 |              10 |       – |      12 |         12 | completed          |
| size (n=2)   | –         |            100 |   1.00 (unknown) | cannot tell |          100 |             0 |         100 |         100 |          100 |         100 |         100 |              0 |              10 |       – |      12 |         12 | completed          |
| inner        | collected |            100 |                – | –           |          100 |             0 |         100 |         100 |          100 |         100 |         100 |              0 |              10 |     100 |      12 |         12 | completed          |
`,
  );
  assert.equal(
    table.legend[0],
    "A sample of mitata is one call or, of a fast benchmark, the mean of a batch of 4096, all of them in one process. " +
      "Of more than 12 samples it drops the two fastest and the two slowest.",
  );
});

/** A result without what older versions and saved results leave out. */
function bareResult(stats: MitataStats): MitataResult {
  return {
    context: { runtime: null, arch: null, cpu: { name: null, freq: Number.POSITIVE_INFINITY } },
    benchmarks: [
      { baseline: true, runs: [{ name: "get", args: {}, stats }] },
      { baseline: false, runs: [{ name: "find", args: {}, stats: { ...stats, avg: 2 * stats.avg! } }] },
    ],
  };
}

const STATS: MitataStats = {
  avg: 300,
  min: 100,
  p50: 200,
  p75: 300,
  p99: 400,
  max: 500,
  samples: null,
  ticks: 1000,
};

test("a result without groups, heap, collector, machine, failures or samples has no place for them", () => {
  const table = fromMitata(bareResult(STATS));
  assert.equal(
    toMarkdown({ ...table, legend: [] }),
    `## mitata

- Harness: mitata

| Benchmark | Median (ns/op) | Ratio of medians | Verdict     | Mean (ns/op) | p75 (ns/op) | p99 (ns/op) | Min (ns/op) | Max (ns/op) | Throughput (M/s) | Iterations |
| :-------- | -------------: | ---------------: | :---------- | -----------: | ----------: | ----------: | ----------: | ----------: | ---------------: | ---------: |
| **get**   |            200 |                1 | baseline    |          300 |         300 |         400 |         100 |         500 |            3.333 |      1,000 |
| find      |            200 |   1.00 (unknown) | cannot tell |          600 |         300 |         400 |         100 |         500 |            1.667 |      1,000 |
`,
  );
  assert.match(
    table.legend.at(-1)!,
    /^An interval is unknown where there are fewer than 10 samples, or nobody says/,
  );
});

test("the error is that of the mean over the samples, and a batch has the clock's reading once", () => {
  const samples = [1, 2, 3, 4, 5];
  const short = bareResult({ ...STATS, avg: 3, samples, ticks: 5 * 4096 });
  const [get] = fromMitata(short).rows;
  assert.equal(formatNumber(get!.cells.error as number), "1.963");
  assert.equal(formatNumber(get!.cells.stdDev as number), "1.581");
  assert.equal(get!.mark, undefined);
  const single = bareResult({ ...STATS, avg: 3, samples, ticks: 5 });
  assert.equal(fromMitata(single).rows[0]!.mark, "†");
});

test("what JSON has null for is no number, and samples that hold such have no error", () => {
  const samples = Array.from({ length: 20 }, (_, index) => 100 + index);
  const saved = JSON.parse(JSON.stringify(bareResult({ ...STATS, avg: Number.NaN, samples })));
  const holed = bareResult({ ...STATS, samples: [...samples, null] });
  const [get] = fromMitata(saved).rows;
  assert.equal(get!.cells.status, "no number");
  assert.equal(fromMitata(holed, { statistic: "mean" }).rows[1]!.cells.verdict, "cannot tell");
});

test("a run whose statistics are empty, or not there, has no number and costs no other its row", () => {
  for (const stats of [{}, { samples: [] }, { p50: 200, ticks: null }, undefined]) {
    const { context, benchmarks } = bareResult(STATS);
    const table = fromMitata({
      context,
      benchmarks: [...benchmarks, { baseline: false, runs: [{ name: "empty", args: {}, stats }] }],
    });
    const [get, , empty] = table.rows;
    assert.deepEqual([get!.cells.median, empty!.cells.status], [200, "no number"]);
    assert.doesNotMatch(toMarkdown(table), /NaN|undefined/);
  }
});

test("a heap that shrank in every sample has no mean growth", () => {
  const { columns } = fromMitata(bareResult({ ...STATS, heap: { avg: Number.NaN } }));
  assert.ok(columns.every(({ key }) => key !== "heap"));
});
