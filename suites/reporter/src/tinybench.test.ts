import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Bench } from "tinybench";
import { goldenCases } from "../../engine/golden.trials.ts";
import { toMarkdown } from "./table.ts";
import {
  fromTinybench,
  type TinybenchBench,
  type TinybenchLatency,
  type TinybenchResult,
} from "./tinybench.ts";

/** A bench whose clock moves 1 ms per reading, so that its statistics are known beforehand. */
function onSteppingClock(iterations: number, options: object = {}): Bench {
  let nowMs = 0;
  return new Bench({ name: "Lookup", warmup: false, time: 0, now: () => nowMs++, iterations, ...options });
}

function run(bench: Bench): TinybenchBench {
  bench.runSync();
  return { ...bench, tasks: bench.tasks, runtime: "node", runtimeVersion: "24.0.0" };
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

// Recorded: ../fixtures/README.md says of what.
const RECORDED = JSON.parse(readFileSync(new URL("../fixtures/tinybench-5.json", import.meta.url), "utf8"));
const nothing = () => {};
const stopped = onSteppingClock(4, { signal: AbortSignal.abort() }).add("stopped", nothing);
const failing = () => {
  throw new Error("no such key\nand more");
};

test("the tables of benches", (t) => {
  const machine = [["Machine", "EPYC"]] as const;
  const known = run(onSteppingClock(4).add("map|get", nothing).add("throws", failing));
  const idle = { ...run(onSteppingClock(4)), tasks: onSteppingClock(4).add("idle", nothing).tasks };
  const unmeasured = benchOf({ state: "completed", latency: latencyOf(0) });
  goldenCases(t, "../testdata/tinybench.md", {
    "statistics that are known": toMarkdown(fromTinybench(known, { timeUnit: "us", provenance: machine })),
    "of tinybench 5": toMarkdown(fromTinybench(RECORDED, { timeUnit: "ms", baseline: "Map" })),
    "aborted with samples": toMarkdown(fromTinybench(benchOf({ aborted: true, latency: latencyOf(1) }))),
    "never ran": toMarkdown(fromTinybench(idle)),
    aborted: toMarkdown(fromTinybench(run(stopped))),
    "one sample has no spread": toMarkdown(fromTinybench(run(onSteppingClock(1).add("once", nothing)))),
    "overlapping calls have no throughput": toMarkdown(
      fromTinybench({ ...benchOf({ state: "completed", latency: latencyOf(1) }), concurrency: "task" }),
    ),
    "a mean below the resolution of the clock": toMarkdown(fromTinybench(unmeasured)),
  });
});

test("a bench on the real clock: a ratio to a baseline needs no samples kept", async () => {
  const bench = new Bench({ time: 0, iterations: 64, warmup: false })
    .add("short", () => [1, 2, 3].indexOf(3))
    .add("long", () => Array.from({ length: 5000 }, (_, index) => `${index}`).join());
  await bench.run();
  const { title, rows } = fromTinybench(bench, { baseline: "short" });
  assert.equal(title, "tinybench");
  const { mean, samples, ratio, verdict } = rows[1]!.cells;
  assert.ok((mean as number) > 0 && (samples as number) >= 64);
  assert.match(String(ratio), /^[\d.,]+ \([\d.,]+-[\d.,]+\)$/);
  assert.match(String(verdict), /^(\*\*faster\*\*|\*\*slower\*\*|same|cannot tell)$/);
});
