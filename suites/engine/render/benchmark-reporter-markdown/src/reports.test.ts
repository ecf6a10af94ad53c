import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { compareReports, fromReport } from "./reports.ts";
import { toMarkdown } from "./table.ts";

const fixture = (name: string) => join(import.meta.dirname, `../fixtures/${name}.json`);
const read = (name: string) => JSON.parse(readFileSync(fixture(name), "utf8"));

/** Statistics of a thousand samples in ms, as Vitest 4 writes them. */
function benchmark(name: string, median: number, part: object = {}) {
  const samples = {
    sampleCount: 1000,
    min: median / 2,
    p75: 1.1 * median,
    p99: 2 * median,
    p999: 3 * median,
  };
  return {
    name,
    ...samples,
    median,
    mean: 1.2 * median,
    max: 9 * median,
    moe: 1,
    sd: 1,
    sem: 0.001,
    ...part,
  };
}

function report(...benchmarks: readonly object[]) {
  return { files: [{ groups: [{ fullName: "x.bench.ts > lookup", benchmarks }] }] };
}

function rows(...[before, after, options]: Parameters<typeof compareReports>): unknown[][] {
  return compareReports(before, after, options).rows.map(({ cells }) => Object.values(cells));
}

test("a report need not say which harness wrote it", () => {
  for (const name of ["vitest-4", "vitest-5", "tinybench-5", "tinybench-6"]) {
    assert.ok(fromReport(read(name)).rows.length > 1, name);
  }
});

test("two reports are compared, benchmark by benchmark", () => {
  const before = report(benchmark("map", 2), benchmark("find", 40), benchmark("old", 1));
  const after = report(benchmark("new", 1), benchmark("find", 20), benchmark("map", 2.001));
  assert.deepEqual(rows(before, after), [
    ["new", null, 1, null, null, "new"],
    ["find", 40, 20, "0.50 (0.49-0.51)", "**faster**", null],
    ["map", 2, 2.001, "1.00 (0.98-1.02)", "same", null],
    ["old", 1, null, null, null, "gone"],
  ]);
  const { columns, legend } = compareReports(before, after, { statistic: "mean" });
  assert.deepEqual(
    columns.map(({ title, unit = "" }) => `${title} ${unit}`.trim()),
    ["Benchmark", "Mean before ms/op", "Mean after ms/op", "Ratio of means", "Verdict", "Status"],
  );
  assert.match(legend[0]!, /^Ratio is the mean after over the one before: above 1 is slower\./);
});

test("a row without a number costs no other row its own, in either report", () => {
  const broken = { mean: null, median: null, sem: null, p75: null };
  const good = report(benchmark("a", 2), benchmark("b", 2));
  const bad = report(benchmark("a", 2, broken), benchmark("b", 2));
  assert.deepEqual(rows(good, bad)[0], ["a", 2, "no number", null, null, "no number"]);
  assert.deepEqual(rows(bad, good)[0], ["a", "no number", 2, null, null, "no number"]);
  for (const [before, after] of [
    [good, bad],
    [bad, good],
  ])
    assert.equal(rows(before, after)[1]![4], "same");
});

test("benchmarks of one name are distinguished by their group, and then by their order", () => {
  const named = (...medians: readonly number[]) => report(...medians.map((median) => benchmark("a", median)));
  assert.deepEqual(
    rows(named(2, 10), named(2, 20)).map(([, before, after]) => [before, after]),
    [
      [2, 2],
      [10, 20],
    ],
  );
  const other = { files: [{ groups: [{ fullName: "y", benchmarks: [benchmark("a", 2)] }] }] };
  assert.deepEqual(
    rows(named(2), other).map((row) => row.at(-1)),
    ["new", "gone"],
  );
});

test("few samples give no verdict, and two near the clock are marked", () => {
  const few = (median: number) => report(benchmark("a", median, { sampleCount: 2 }));
  assert.deepEqual(rows(few(100), few(103))[0]!.slice(3, 5), ["1.03 (unknown)", "cannot tell"]);
  const short = (median: number) => report(benchmark("a", median));
  const table = compareReports(short(0.00004), short(0.00008));
  assert.equal(table.rows[0]!.mark, "†");
  assert.equal(table.rows[0]!.cells.verdict, "cannot tell");
  assert.match(table.legend.at(-1)!, /^† A sample takes less than 5 ticks/);
});

const folder = mkdtempSync(join(tmpdir(), "benchmark-reporter-cli-"));
after(() => rmSync(folder, { recursive: true }));
const CLI = join(import.meta.dirname, "cli.ts");

test("the command prints the table of a report, or of two, on stdout", () => {
  const run = (...args: string[]) => execFileSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
  assert.equal(
    run(fixture("vitest-5"), "--baseline", "Map", "--time-unit", "us"),
    toMarkdown(fromReport(read("vitest-5"), { baseline: "Map", timeUnit: "us", columns: "short" })),
  );
  assert.equal(
    run(fixture("vitest-4"), fixture("vitest-4"), "--statistic", "mean", "--title", "Ours"),
    toMarkdown(compareReports(read("vitest-4"), read("vitest-4"), { statistic: "mean", title: "Ours" })),
  );
  assert.match(run("--help"), /^benchmark-reporter-markdown REPORT/);
});

test("the command refuses in one line what it cannot read", () => {
  const text = join(folder, "text.json");
  writeFileSync(text, "no JSON");
  const cases: [string[], RegExp][] = [
    [[], /^0 reports are named: give one, or two to compare \(see --help\)\n$/],
    [[join(folder, "none.json")], /none\.json cannot be read \(ENOENT\)\n$/],
    [[text], /text\.json is not JSON\n$/],
    [[fixture("vitest-4"), fixture("vitest-4"), "--columns", "all"], /^--baseline, --sort and --columns are/],
    [[fixture("vitest-4"), "--sort", "size"], /^sort: "size" is none of run, mean, median, name\n$/],
    [
      [fixture("vitest-4"), fixture("vitest-4"), "--baseline", "Map"],
      /^--baseline, --sort and --columns are of one/,
    ],
  ];
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  }
});
