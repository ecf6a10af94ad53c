import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { toMarkdown } from "./table.ts";
import { fromVitest, type VitestReport } from "./vitest.ts";
import MarkdownReporter, { type VitestTask } from "./vitest-reporter.ts";

/** What Vitest wrote: ../fixtures/README.md says of what and when. */
function recorded(name: string) {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
}

const QUANTILES = { min: 1, max: 9, p50: 2, p75: 3, p99: 4, p999: 5 };
const KNOWN = { ...QUANTILES, mean: 2, moe: 0.01, sd: 0.1, sem: 0.001, samplesCount: 1000 };
const NULLS = Object.fromEntries(Object.keys(KNOWN).map((key) => [key, null]));

/** Of Vitest 5: a file with these tasks. */
function file(name: string, ...tasks: readonly object[]) {
  return { name, assertionResults: [{ fullName: "copy", benchmarks: [{ name: "copy", tasks }] }] };
}

const HOLED = {
  testResults: [
    file(
      "x.ts",
      { name: "null", latency: { ...NULLS, samplesCount: 1000 } },
      { name: "none" },
      { name: "old", latency: KNOWN },
      { name: "new", latency: { ...KNOWN, mean: 4, p50: 4, p75: 5 } },
    ),
  ],
} as VitestReport;
const SEVERAL = {
  testResults: [
    file("/project/a/x.ts", { name: "slice", latency: KNOWN, fromStore: true }),
    file("/project/b/x.ts", { name: "slice", latency: KNOWN }),
  ],
} as VitestReport;

test("the tables of what Vitest writes", (t) => {
  const text = (...report: Parameters<typeof fromVitest>) => toMarkdown(fromVitest(...report));
  goldenCases(t, "../testdata/vitest.md", {
    "Vitest 4, with --outputJson": text(recorded("vitest-4"), { timeUnit: "ms" }),
    "Vitest 5, with --reporter=json": text(recorded("vitest-5"), { baseline: "Map" }),
    "files are named as far as they differ, and a benchmark of an earlier run says so": text(SEVERAL),
    "what JSON has null for is no number": text(HOLED, { baseline: "old" }),
    "the same, by means": text(HOLED, { baseline: "old", statistic: "mean" }),
  });
});

const folder = mkdtempSync(join(tmpdir(), "benchmark-reporter-vitest-"));
after(() => rmSync(folder, { recursive: true }));

/** What the reporter writes of a run. */
function written(task: VitestTask, options: object = {}): string {
  const outputFile = join(folder, "table.md");
  new MarkdownReporter({ outputFile, ...options }).onTestRunEnd([{ task }]);
  return readFileSync(outputFile, "utf8");
}

test("what Vitest 4 keeps of a run is the table of its JSON", () => {
  const report = recorded("vitest-4");
  const [{ benchmarks }] = report.files[0].groups;
  const suite = { name: "lookup" };
  const tasks = benchmarks.map((benchmark: { name: string }): VitestTask => {
    return { name: benchmark.name, suite, meta: { benchmark: true }, result: { benchmark } } as VitestTask;
  });
  const file = {
    name: "lookup.bench.mjs",
    filepath: "/project/lookup.bench.mjs",
    tasks: [{ ...suite, tasks }],
  };
  assert.equal(written(file, { sort: "mean" }), toMarkdown(fromVitest(report, { sort: "mean" })));
});

test("what Vitest 5 keeps of a run is the table of its JSON", () => {
  const report = recorded("vitest-5");
  const [{ name: filepath, assertionResults }] = report.testResults;
  const suite = { name: "lookup" };
  const tasks = assertionResults.map(({ ancestorTitles, title, failureMessages, benchmarks }: never) => {
    const errors = (failureMessages as string[]).map((message) => ({ message }));
    const within = (ancestorTitles as string[]).length > 0 ? { suite } : {};
    return { name: title, ...within, result: { errors }, benchmarks } as VitestTask;
  });
  assert.equal(written({ name: "lookup.bench.mjs", filepath, tasks }), toMarkdown(fromVitest(report)));
});

test("a run that measured nothing has no table", () => {
  const outputFile = join(folder, "none.md");
  const reporter = new MarkdownReporter({ outputFile });
  reporter.onTestRunEnd([{ task: { name: "x.test.ts", tasks: [{ name: "works" }] } }]);
  reporter.onTestRunEnd([]);
  assert.throws(() => readFileSync(outputFile), /ENOENT/);
});
