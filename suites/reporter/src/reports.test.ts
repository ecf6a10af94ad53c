import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { golden, goldenCases } from "../../engine/golden.trials.ts";
import { compareReports, fromReport } from "./reports.ts";
import { toMarkdown } from "./table.ts";

const fixture = (name: string) => join(import.meta.dirname, `../fixtures/${name}.json`);
const read = (name: string) => JSON.parse(readFileSync(fixture(name), "utf8"));

/** Statistics of a thousand samples in ms, as Vitest 4 writes them. */
function benchmark(name: string, median: number, part: object = {}) {
  const quantiles = { min: median / 2, median, p75: 1.1 * median, p99: 2 * median, p999: 3 * median };
  const moments = { mean: 1.2 * median, max: 9 * median, moe: 1, sd: 1, sem: 0.001 };
  return { name, sampleCount: 1000, ...quantiles, ...moments, ...part };
}

function report(...benchmarks: readonly object[]) {
  return of("x.bench.ts > lookup", ...benchmarks);
}

function of(fullName: string, ...benchmarks: readonly object[]) {
  return { files: [{ groups: [{ fullName, benchmarks }] }] };
}

const BEFORE = report(benchmark("map", 2), benchmark("find", 40), benchmark("old", 1));
const AFTER = report(benchmark("new", 1), benchmark("find", 20), benchmark("map", 2.001));
const GOOD = report(benchmark("a", 2), benchmark("b", 2));
const BAD = report(benchmark("a", 2, { mean: null, median: null, sem: null, p75: null }), benchmark("b", 2));
const one = (median: number, part: object = {}) => report(benchmark("a", median, part));

const PAIRS: Readonly<Record<string, Parameters<typeof compareReports>>> = {
  "benchmark by benchmark": [BEFORE, AFTER],
  "by means": [BEFORE, AFTER, { statistic: "mean" }],
  "a row without a number, after": [GOOD, BAD],
  "a row without a number, before": [BAD, GOOD],
  "one name twice": [
    report(benchmark("a", 2), benchmark("a", 10)),
    report(benchmark("a", 2), benchmark("a", 20)),
  ],
  "one name in two groups": [one(2), of("y", benchmark("a", 2))],
  "two samples": [one(100, { sampleCount: 2 }), one(103, { sampleCount: 2 })],
  "near the clock's tick": [one(0.00004), one(0.00008)],
  "recorded, of Vitest": [read("vitest-4"), read("vitest-4")],
};

test("two reports are compared", (t) => {
  const texts = Object.entries(PAIRS).map(([name, pair]) => [name, toMarkdown(compareReports(...pair))]);
  goldenCases(t, "../testdata/two-reports.md", Object.fromEntries(texts));
});

test("a report need not say which harness wrote it", (t) => {
  const names = ["vitest-4", "vitest-5", "tinybench-5", "tinybench-6"];
  const texts = names.map((name) => [name, toMarkdown(fromReport(read(name), { baseline: "Map" }))]);
  goldenCases(t, "../testdata/reports.md", Object.fromEntries(texts));
});

const folder = mkdtempSync(join(tmpdir(), "benchmark-reporter-cli-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "text.json"), "no JSON");

test("the command prints the table of a report, or of two, or refuses in one line", (t) => {
  const [four, five] = [fixture("vitest-4"), fixture("vitest-5")];
  const calls: Readonly<Record<string, string[]>> = {
    "a report": [five, "--baseline", "Map", "--time-unit", "us"],
    "two reports": [four, four, "--statistic", "mean", "--title", "Ours"],
    help: ["--help"],
    nothing: [],
    "no such file": ["none.json"],
    "no JSON": ["text.json"],
    "columns of two": [four, four, "--columns", "all"],
    "a baseline of two": [four, four, "--baseline", "Map"],
    "an unknown order": [four, "--sort", "size"],
  };
  const texts = Object.entries(calls).map(([name, args]) => {
    const command = [join(import.meta.dirname, "cli.ts"), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      encoding: "utf8",
    });
    // One of the two is empty.
    assert.ok([stdout, stderr].includes(""));
    return `${name}: ${status}\n\n${stdout}${stderr}\n`;
  });
  golden(t, "../testdata/command.txt", texts.join("\n"));
});
