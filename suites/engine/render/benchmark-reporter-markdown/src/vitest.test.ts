import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toMarkdown } from "./table.ts";
import { fromVitest, type VitestReport } from "./vitest.ts";

/** What Vitest wrote: ../fixtures/README.md says of what and when. */
function recorded(name: string): VitestReport {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
}

test("what Vitest 4 writes with --outputJson", () => {
  const table = fromVitest(recorded("vitest-4"), {
    timeUnit: "ms",
    columns: ["mean", "median", "p99", "samples"],
  });
  assert.equal(table.title, "lookup.bench.mjs > lookup");
  assert.deepEqual(table.provenance, [["Harness", "vitest bench"]]);
  assert.match(
    toMarkdown(table),
    /^\| Map +\| +0\.001195 \| +0\.0003105 \| +0\.01183 \| +16 \| completed +\|$/m,
  );
  assert.deepEqual(
    table.rows.map(({ cells }) => [cells.benchmark, cells.status]),
    [
      ["Map", "completed"],
      ["array | find", "completed"],
      // An Error is no JSON: its message is not in the file.
      ["throws", "error without a message"],
    ],
  );
});

test("what Vitest 5 writes with --reporter=json", () => {
  const table = fromVitest(recorded("vitest-5"), { baseline: "Map" });
  assert.equal(table.title, "vitest bench");
  assert.deepEqual(
    table.rows.map(({ cells }) => [cells.group, cells.benchmark, cells.samples, cells.status]),
    [
      ["lookup.bench.mjs > lookup > by key", "**Map**", 16, "completed"],
      ["lookup.bench.mjs > lookup > by key", "array | find", 16, "completed"],
      ["lookup.bench.mjs", "lookup missing", null, "error: no such key"],
      ["lookup.bench.mjs > copy", "slice", 16, "completed"],
    ],
  );
  for (const key of ["mean", "error", "median", "p75", "p99", "p999", "min", "max", "stdDev", "ratio"]) {
    assert.ok(
      table.columns.some((column) => column.key === key),
      key,
    );
  }
});

test("files are named as far as they differ, and a benchmark of an earlier run says so", () => {
  const latency = { mean: 1, min: 1, max: 1, p50: 1, p75: 1, p99: 1, p999: 1, moe: 0, sd: 0, sem: 0 };
  const file = (name: string) => ({
    name,
    assertionResults: [
      {
        fullName: "copy",
        benchmarks: [{ name: "copy", tasks: [{ name: "slice", latency, fromStore: name.includes("/a/") }] }],
      },
    ],
  });
  const table = fromVitest({ testResults: [file("/project/a/x.ts"), file("/project/b/x.ts")] });
  assert.deepEqual(
    table.rows.map(({ cells }) => [cells.group, cells.status]),
    [
      ["a/x.ts > copy", "from an earlier run"],
      ["b/x.ts > copy", "completed"],
    ],
  );
});

test("what JSON has null for is no number and has no rank, and a task without a latency costs no other its row", () => {
  const latency = {
    min: 1,
    max: 9,
    p50: 2,
    p75: 3,
    p99: 4,
    p999: 5,
    moe: 0.01,
    sd: 0.1,
    sem: 0.001,
    mean: 2,
  };
  const known = { ...latency, samplesCount: 1000 };
  const broken = Object.fromEntries(Object.keys(latency).map((key) => [key, null]));
  const tasks = [
    { name: "null", latency: { ...known, ...broken } },
    { name: "none" },
    { name: "old", latency: known },
    { name: "new", latency: { ...known, mean: 4, p50: 4, p75: 5 } },
  ];
  const report = {
    testResults: [
      { name: "x.ts", assertionResults: [{ fullName: "t", benchmarks: [{ name: "t", tasks }] }] },
    ],
  };
  for (const statistic of ["median", "mean"] as const) {
    const { rows } = fromVitest(report as VitestReport, { statistic, baseline: "old" });
    assert.deepEqual(
      rows.map(({ cells }) => [cells.rank, cells[statistic], cells.verdict, cells.status]),
      [
        [null, "no number", null, "no number"],
        [null, null, null, "no number"],
        [1, 2, "baseline", "completed"],
        [2, 4, "**slower**", "completed"],
      ],
    );
  }
});
