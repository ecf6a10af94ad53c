import assert from "node:assert/strict";
import { test } from "node:test";
import { Bench } from "tinybench";
import { toMarkdown } from "./table.ts";
import { fromTinybench, type TinybenchBench } from "./tinybench.ts";

/** A bench whose clock moves 1 ms per reading, so that its statistics are known beforehand. */
function benchOnSteppingClock(options: { iterations: number; signal?: AbortSignal }): Bench {
  let nowMs = 0;
  return new Bench({ name: "Lookup", warmup: false, time: 0, now: () => nowMs++, ...options });
}

test("a bench whose statistics are known", () => {
  const bench = benchOnSteppingClock({ iterations: 4 })
    .add("map|get", () => {})
    .add("throws", () => {
      throw new Error("no such key\nand more");
    });
  bench.runSync();
  assert.equal(
    toMarkdown(fromTinybench(bench, { timeUnit: "us", provenance: [["Machine", "EPYC"]] })),
    `## Lookup

- Harness: tinybench
- Runtime: node ${process.versions.node}
- Clock: custom
- Machine: EPYC

| Task     | Mean (µs/op) | Error (µs/op) | StdDev (µs/op) | Median (µs/op) | p99 (µs/op) | Throughput | Samples | Status             |
| :------- | -----------: | ------------: | -------------: | -------------: | ----------: | ---------: | ------: | :----------------- |
| map\\|get |        1,000 |             0 |              0 |          1,000 |       1,000 |      1 k/s |       4 | completed          |
| throws   |            – |             – |              – |              – |           – |          – |       – | error: no such key |

- Mean, StdDev, Median and p99 are of the latency samples that tinybench took in one process.
- Error is the half width of the 95% confidence interval of the mean over these samples. The run was not replicated over processes, so differences from process to process are not in it.
- Throughput is one over the mean latency; the mean of the rates of single samples, which tinybench prints, is higher.
`,
  );
});

test("a bench on the real clock", async () => {
  const bench = new Bench({ time: 2, warmup: false });
  bench.add("sum", () => [1, 2, 3].reduce((sum, number) => sum + number, 0));
  await bench.run();
  const table = fromTinybench(bench);
  assert.equal(table.title, "tinybench");
  const { cells } = table.rows[0]!;
  assert.equal(cells.task, "sum");
  assert.ok(typeof cells.mean === "number" && cells.mean > 0);
  assert.ok(typeof cells.samples === "number" && cells.samples >= 64);
  assert.match(toMarkdown(table), /\| Task \| Mean \(ns\/op\) \|/);
});

test("tasks that never ran or were aborted have their state and no numbers", () => {
  const idle = benchOnSteppingClock({ iterations: 4 }).add("idle", () => {});
  assert.deepEqual(fromTinybench(idle).rows, [{ cells: { task: "idle", status: "not started" } }]);

  const aborted = benchOnSteppingClock({ iterations: 4, signal: AbortSignal.abort() }).add(
    "stopped",
    () => {},
  );
  aborted.runSync();
  assert.deepEqual(fromTinybench(aborted).rows, [{ cells: { task: "stopped", status: "aborted" } }]);
});

test("one sample has no spread", () => {
  const bench = benchOnSteppingClock({ iterations: 1 }).add("once", () => {});
  bench.runSync();
  const { cells } = fromTinybench(bench).rows[0]!;
  assert.equal(cells.mean, 1_000_000);
  assert.equal(cells.error, null);
  assert.equal(cells.stdDev, null);
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
  const latency = { mean: 0, moe: 0, sd: 0, p50: 0, p99: 0, samplesCount: 64 };
  const bench: TinybenchBench = {
    runtime: "node",
    runtimeVersion: "24.0.0",
    concurrency: null,
    timestampProvider: { name: "performanceNow" },
    tasks: [{ name: "nothing", result: { state: "completed", latency } }],
  };
  assert.match(toMarkdown(fromTinybench(bench)), /^\| nothing \|.* – \| +64 \|$/m);
});
