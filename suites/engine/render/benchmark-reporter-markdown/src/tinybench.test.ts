import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Bench } from "tinybench";
import { formatNumber } from "./numbers.ts";
import { toMarkdown } from "./table.ts";
import {
  fromTinybench,
  type TinybenchBench,
  type TinybenchLatency,
  type TinybenchResult,
} from "./tinybench.ts";

/** A bench whose clock moves 1 ms per reading, so that its statistics are known beforehand. */
function benchOnSteppingClock(options: { iterations: number; signal?: AbortSignal }): Bench {
  let nowMs = 0;
  return new Bench({ name: "Lookup", warmup: false, time: 0, now: () => nowMs++, ...options });
}

function latencyOf(mean: number): TinybenchLatency {
  const percentiles = { p50: mean, p75: mean, p99: mean, p999: mean };
  return { mean, min: mean, max: mean, ...percentiles, moe: 0, sd: 0, sem: 0, samplesCount: 64 };
}

/** What a bench of one task might have come to. */
function benchOf(result: TinybenchResult): TinybenchBench {
  return {
    runtime: "node",
    runtimeVersion: "24.0.0",
    concurrency: null,
    tasks: [{ name: "nothing", result }],
  };
}

test("a bench whose statistics are known", () => {
  const bench = benchOnSteppingClock({ iterations: 4 })
    .add("map|get", () => {})
    .add("throws", () => {
      throw new Error("no such key\nand more");
    });
  bench.runSync();
  const table = fromTinybench(bench, { timeUnit: "us", provenance: [["Machine", "EPYC"]] });
  assert.equal(
    toMarkdown(table),
    `## Lookup

- Harness: tinybench
- Runtime: node ${process.versions.node}
- Clock: custom
- Machine: EPYC

| Benchmark | Median (µs/op) | Mean (µs/op) | Error (µs/op) | p75 (µs/op) | p99 (µs/op) | p999 (µs/op) | Min (µs/op) | Max (µs/op) | StdDev (µs/op) | Throughput (k/s) | Samples | Status             |
| :-------- | -------------: | -----------: | ------------: | ----------: | ----------: | -----------: | ----------: | ----------: | -------------: | ---------------: | ------: | :----------------- |
| map\\|get  |          1,000 |        1,000 |             0 |       1,000 |       1,000 |        1,000 |       1,000 |       1,000 |              0 |                1 |       4 | completed          |
| throws    |              – |            – |             – |           – |           – |            – |           – |           – |              – |                – |       – | error: no such key |

- tinybench timed each call by itself, all of them in one process.
- ${table.legend[1]}
- ${table.legend[2]}
`,
  );
});

test("a bench on the real clock", async () => {
  const bench = new Bench({ time: 2, warmup: false });
  bench.add("sum", () => [1, 2, 3].reduce((sum, number) => sum + number, 0));
  await bench.run();
  const table = fromTinybench(bench, { timeUnit: "ns" });
  assert.equal(table.title, "tinybench");
  const { cells } = table.rows[0]!;
  assert.equal(cells.benchmark, "sum");
  assert.ok(typeof cells.mean === "number" && cells.mean > 0);
  assert.ok(typeof cells.samples === "number" && cells.samples >= 64);
  assert.match(toMarkdown(table), /\| Benchmark +\|.* Mean \(ns\/op\) \|/);
});

test("a ratio to a baseline needs no samples kept: tinybench says how far its mean may be off", async () => {
  const bench = new Bench({ time: 0, iterations: 64, warmup: false })
    .add("short", () => [1, 2, 3].indexOf(3))
    .add("long", () => Array.from({ length: 5000 }, (_, index) => `${index}`).join());
  await bench.run();
  const [, long] = fromTinybench(bench, { baseline: "short" }).rows;
  assert.match(String(long!.cells.ratio), /^[\d.,]+ \([\d.,]+-[\d.,]+\)$/);
  assert.match(String(long!.cells.verdict), /^(\*\*faster\*\*|\*\*slower\*\*|same|cannot tell)$/);
});

test("what tinybench 5 has", () => {
  // Recorded: ../fixtures/README.md says of what.
  const bench = JSON.parse(
    readFileSync(new URL("../fixtures/tinybench-5.json", import.meta.url), "utf8"),
  ) as TinybenchBench;
  const table = fromTinybench(bench, { timeUnit: "ms", baseline: "Map" });
  assert.deepEqual(
    table.rows.map(({ cells }) => [cells.benchmark, cells.samples, cells.status]),
    [
      ["**Map**", 16, "completed"],
      ["array | find", 16, "completed"],
      ["throws", null, "error: no such key"],
      ["stopped", null, "aborted"],
      ["idle", null, "not started"],
    ],
  );
  const [{ latency }] = bench.tasks.map(({ result }) => result) as [{ latency: TinybenchLatency }];
  for (const [key, figure] of [
    ["mean", latency.mean],
    ["error", latency.moe],
    ["median", latency.p50],
    ["p999", latency.p999],
    ["max", latency.max],
  ] as const) {
    assert.equal(formatNumber(table.rows[0]!.cells[key] as number), formatNumber(figure!), key);
  }
});

test("a task of tinybench 5 that was aborted with samples says so", () => {
  const bench = benchOf({ aborted: true, latency: latencyOf(1) });
  assert.equal(fromTinybench(bench).rows[0]!.cells.status, "aborted early");
});

test("tasks that never ran or were aborted have their state and no numbers", () => {
  const idle = benchOnSteppingClock({ iterations: 4 }).add("idle", () => {});
  assert.deepEqual(fromTinybench(idle).rows, [{ cells: { benchmark: "idle", status: "not started" } }]);

  const aborted = benchOnSteppingClock({ iterations: 4, signal: AbortSignal.abort() }).add(
    "stopped",
    () => {},
  );
  aborted.runSync();
  assert.deepEqual(fromTinybench(aborted).rows, [{ cells: { benchmark: "stopped", status: "aborted" } }]);
});

test("one sample has no spread", () => {
  const bench = benchOnSteppingClock({ iterations: 1 }).add("once", () => {});
  bench.runSync();
  const { cells } = fromTinybench(bench).rows[0]!;
  assert.equal(cells.mean, 1);
  assert.equal(cells.error, undefined);
  assert.equal(cells.stdDev, undefined);
});

test("overlapping calls have no throughput", async () => {
  const bench = new Bench({ warmup: false, time: 0, iterations: 4, concurrency: "task" });
  bench.add("tick", async () => {});
  await bench.run();
  const table = fromTinybench(bench, { title: "Overlapping" });
  assert.deepEqual(table.provenance.at(-1), ["Concurrency", "task"]);
  assert.doesNotMatch(toMarkdown(table), /Throughput/);
});

test("a mean below the resolution of the clock has no throughput", () => {
  const bench = benchOf({ state: "completed", latency: latencyOf(0) });
  assert.match(
    toMarkdown(fromTinybench(bench, { columns: ["throughput", "samples"] })),
    /^\| nothing † +\| +64 \|$/m,
  );
});
