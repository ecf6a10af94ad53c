import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { golden, goldenCases } from "../../engine/golden.trials.ts";
import { fromMitata, type MitataResult, type MitataStats } from "./mitata.ts";
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

test("a real run", (t) => {
  // What the heap grew by is the only number here that cannot be known beforehand.
  const { rows } = fromMitata(result, { columns: ["heap"] });
  const completed = rows.filter(({ cells }) => cells.status === "completed");
  assert.ok(completed.length === 4 && completed.every(({ cells }) => (cells.heap as number) >= 0));

  const context = { runtime: "node", version: "24", arch: "x64-linux", cpu: { name: "EPYC", freq: 3.2 } };
  const grown = (stats: MitataStats | null | undefined) => stats && { ...stats, heap: { avg: 16 } };
  const benchmarks = result.benchmarks.map((trial) => {
    return { ...trial, runs: trial.runs.map((run) => ({ ...run, stats: grown(run.stats) })) };
  });
  const known = { ...result, context, benchmarks };
  const provenance = [["Machine", "a server"]] as const;
  golden(t, "../testdata/mitata-run.md", toMarkdown(fromMitata(known, { title: "Lookup", provenance })));
});

/** A result without what older versions and saved results leave out. */
function bare(stats: MitataStats): MitataResult {
  return {
    context: { runtime: null, arch: null, cpu: { name: null, freq: Number.POSITIVE_INFINITY } },
    benchmarks: [
      { baseline: true, runs: [{ name: "get", args: {}, stats }] },
      { baseline: false, runs: [{ name: "find", args: {}, stats: { ...stats, avg: 2 * stats.avg! } }] },
    ],
  };
}

/** The same, and a run with these statistics. */
function besides(stats: MitataStats | undefined): MitataResult {
  const { context, benchmarks } = bare(STATS);
  return {
    context,
    benchmarks: [...benchmarks, { baseline: false, runs: [{ name: "empty", args: {}, stats }] }],
  };
}

const QUANTILES = { min: 100, p50: 200, p75: 300, p99: 400, max: 500 };
const STATS: MitataStats = { avg: 300, ...QUANTILES, samples: null, ticks: 1000 };
const SAMPLES = [1, 2, 3, 4, 5];
const TWENTY = Array.from({ length: 20 }, (_, index) => 100 + index);

const CASES: Readonly<Record<string, MitataResult>> = {
  "no groups, heap, collector, machine, failures or samples": bare(STATS),
  "a batch has the clock's reading once": bare({ ...STATS, avg: 3, samples: SAMPLES, ticks: 5 * 4096 }),
  "a call by itself has one each": bare({ ...STATS, avg: 3, samples: SAMPLES, ticks: 5 }),
  "JSON has null for what is no number": JSON.parse(
    JSON.stringify(bare({ ...STATS, avg: Number.NaN, samples: TWENTY })),
  ),
  "samples that hold such have no error": bare({ ...STATS, samples: [...TWENTY, null] }),
  "empty statistics": besides({}),
  "no samples": besides({ samples: [] }),
  "nobody knows how many calls": besides({ p50: 200, ticks: null }),
  "no statistics": besides(undefined),
  "a heap that shrank in every sample": bare({ ...STATS, heap: { avg: Number.NaN } }),
};

test("results that lack something", (t) => {
  const texts = Object.entries(CASES).map(([name, result]) => {
    return [name, toMarkdown({ ...fromMitata(result), legend: [] })];
  });
  goldenCases(t, "../testdata/mitata.md", Object.fromEntries(texts));
});
