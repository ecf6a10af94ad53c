import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fromMitata, type MitataResult } from "./mitata.ts";
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

  // What the heap grew by is the only number here that nobody knows beforehand.
  const rows = table.rows.map(({ cells: { heap, ...cells }, ...row }) => ({ ...row, cells }));
  const columns = table.columns.filter(({ key }) => key !== "heap");
  assert.equal(
    toMarkdown({ ...table, provenance: [], columns, rows }),
    `## Lookup

| Benchmark  | Group     | Mean (ms/iter) | Min (ms/iter) | Median (ms/iter) | p75 (ms/iter) | p99 (ms/iter) | Max (ms/iter) | GC (ms) | Samples | Iterations | Status             |
| :--------- | :-------- | -------------: | ------------: | ---------------: | ------------: | ------------: | ------------: | ------: | ------: | ---------: | :----------------- |
| map\\|get † | –         |            100 |           100 |              100 |           100 |           100 |           100 |       – |      12 |         12 | completed          |
| throws     | –         |              – |             – |                – |             – |             – |             – |       – |       – |          – | error: no such key |
| size (n=1) | –         |            100 |           100 |              100 |           100 |           100 |           100 |       – |      12 |         12 | completed          |
| size (n=2) | –         |            100 |           100 |              100 |           100 |           100 |           100 |       – |      12 |         12 | completed          |
| inner      | collected |            100 |           100 |              100 |           100 |           100 |           100 |     100 |      12 |         12 | completed          |

- Mean, Min, the percentiles and Max are of the samples that mitata took in one process, where a sample of a fast benchmark is itself the mean of a batch of iterations. Of more than 12 samples mitata drops the two fastest and the two slowest.
- mitata reports no margin of error, and the run was not replicated over processes: a small difference between two rows may be noise.
- Heap is the mean growth of the heap, over the samples during which it did not shrink.
- GC is the mean time of the collection that was forced after each sample.
- † is the baseline.
`,
  );
});

test("a result without groups, heap, collector, machine or failures has no place for them", () => {
  const stats = { avg: 2, min: 1, p50: 2, p75: 3, p99: 4, max: 5, samples: null, ticks: 1000 };
  const bare: MitataResult = {
    context: { runtime: null, arch: null, cpu: { name: null, freq: Number.POSITIVE_INFINITY } },
    benchmarks: [{ baseline: false, runs: [{ name: "get", args: {}, stats }] }],
  };
  const [howSampled, noError] = fromMitata(bare).legend;
  assert.equal(
    toMarkdown(fromMitata(bare)),
    `## mitata

- Harness: mitata

| Benchmark | Mean (ns/iter) | Min (ns/iter) | Median (ns/iter) | p75 (ns/iter) | p99 (ns/iter) | Max (ns/iter) | Samples | Iterations |
| :-------- | -------------: | ------------: | ---------------: | ------------: | ------------: | ------------: | ------: | ---------: |
| get       |              2 |             1 |                2 |             3 |             4 |             5 |       – |      1,000 |

- ${howSampled}
- ${noError}
`,
  );
});

test("a heap that shrank in every sample has no mean growth", () => {
  const stats = {
    avg: 1,
    min: 1,
    p50: 1,
    p75: 1,
    p99: 1,
    max: 1,
    samples: [1],
    ticks: 1,
    heap: { avg: Number.NaN },
  };
  const shrunk = { ...result, benchmarks: [{ baseline: false, runs: [{ name: "get", args: {}, stats }] }] };
  assert.equal(fromMitata(shrunk).rows[0]!.cells.heap, null);
});
