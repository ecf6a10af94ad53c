import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { toMarkdown } from "./table.ts";
import { fromVitest } from "./vitest.ts";
import MarkdownReporter, { type VitestTask } from "./vitest-reporter.ts";

const folder = mkdtempSync(join(tmpdir(), "benchmark-reporter-vitest-"));
after(() => rmSync(folder, { recursive: true }));

/** What the reporter writes of a run. */
function written(file: VitestTask, options: object = {}): string {
  const outputFile = join(folder, "table.md");
  rmSync(outputFile, { force: true });
  new MarkdownReporter({ outputFile, ...options }).onTestRunEnd([{ task: file }]);
  return readFileSync(outputFile, "utf8");
}

function recorded(name: string) {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));
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
  new MarkdownReporter({ outputFile }).onTestRunEnd([
    { task: { name: "x.test.ts", tasks: [{ name: "works" }] } },
  ]);
  new MarkdownReporter({ outputFile }).onTestRunEnd([]);
  assert.throws(() => readFileSync(outputFile), /ENOENT/);
});
