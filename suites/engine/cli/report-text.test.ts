import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { goldenCases } from "../golden.trials.ts";
import type { Allocates } from "../judge/allocates.ts";
import { withScratch } from "../measure/machine/scratch.ts";
import type { Report, ReportedRace, ReportedRow } from "./report.ts";
import { appendReport, markdownOf, raceTextOf } from "./report-text.ts";

const FILE = pathToFileURL(resolve("bench/parse.js")).href;
const row: ReportedRow = {
  task: "JSON.parse",
  ns: { value: 254.4, low: 250.2, high: 258.9 },
  ratio: null,
  verdict: "baseline",
  allocates: null,
  processNs: [250, 254, 254, 258],
  remarks: [],
};
const race: ReportedRace = {
  file: FILE,
  group: "small | large",
  workers: 1,
  baseline: "JSON.parse",
  emptyNs: null,
  floor: 0.0034,
  processes: 4,
  lost: [],
  isProved: false,
  rows: [
    row,
    {
      ...row,
      task: "twice",
      ns: { value: 1_508, low: 1_500, high: 1_516 },
      ratio: { value: 2, low: 1.96, high: 2.04 },
      verdict: "slower",
      remarks: ["1 of 4 processes not averaged: at x3.00"],
    },
    {
      ...row,
      task: "never",
      ns: null,
      verdict: "no number",
      processNs: [],
      remarks: ["it threw: not today"],
    },
  ],
};
const figure = (value: number) => ({ value, low: value, high: value });
const allocates: Allocates = {
  ...{ bytes: figure(96), more: null, verdict: "baseline" },
  ...{ collectionsPerOperation: 1 / 20_000, collectingShare: 0.01 },
};
const more = { bytes: figure(144), more: figure(48), verdict: "more" } as const;
const reportOf = (one: ReportedRace, reason: string) =>
  ({
    races: [one],
    growth: [],
    refused: [{ file: FILE, reason }],
    machine: { cpu: "A CPU", cores: 2 },
    runtime: { name: "Node.js", version: "24.0.0" },
    seed: 7,
  }) as unknown as Report;
const named = (...tasks: string[]) => ({ ...race, rows: tasks.map((task) => ({ ...row, task })) });

describe("the table of a race", () => {
  it("reads as testdata/tables.md has it", (test) => {
    const text = (one: ReportedRace, width = 80, histogram = false) => raceTextOf(one, { width, histogram });
    const hostile = { ...named("a|b `c` \\ <b>&amp;$x$\nd"), group: "", baseline: "a" };
    goldenCases(test, "testdata/tables.md", {
      "what operations work on, by their file": text({
        ...race,
        rows: [
          { ...row, throughput: { unit: "bytes", perSecond: { value: 4.123e8, low: 3.9e8, high: 4.3e8 } } },
          { ...row, throughput: { unit: "items", perSecond: { value: 12, low: null, high: null } } },
          { ...row, throughput: { unit: "items", perSecond: figure(1.2e6) } },
        ],
      }),
      "rows, and what is to be known of them": text(race),
      "a name that is too long for the terminal, and steers it": text(
        named(`\u001b[2Jparse a large document ${"x".repeat(80)} of 1 MB`),
        70,
      ),
      "joined letters and emoji": text(named("👩‍💻 async", "می‌خواهم", "a\u200db", "a\tb")),
      "letters of two columns": text(named("日本語タスク", "ﾊﾝｶｸ", "emoji 🎉 task", "長い名前".repeat(20))),
      "any number of characters fits": text(named("x".repeat(200)), Number.POSITIVE_INFINITY),
      "what tasks allocate": text({
        ...race,
        rows: [
          { ...row, allocates },
          { ...race.rows[1]!, allocates: { ...allocates, ...more, collectingShare: 0.125 } },
          race.rows[2]!,
        ],
      }),
      "names that are filled up with spaces": text({
        ...{ ...race, baseline: "a  " },
        rows: [{ ...row, task: "a  ", remarks: ["warm-up not flat"] }, row],
      }),
      "a part": text({ ...race, part: "async" }),
      "a part of no group": text({ ...race, group: "", part: "async" }),
      "how processes spread": text(race, 80, true),
      "four workers, alone": text({ ...named("a"), workers: 4, group: "", floor: null, processes: 1 }),
      markdown: markdownOf(reportOf(race, "bench/parse.js: waits: waits 97 % of its time")),
      "names that are markup": markdownOf(reportOf(hostile, "bench/parse.js: a\n| b")),
    });
  });

  it("is as much of a step's summary as GitHub shows", () =>
    withScratch("summary", async (folder) => {
      const path = join(folder, "summary.md");
      writeFileSync(path, "before\n");
      const tasks = Array.from({ length: 3_000 }, (_, index) => `${index} ${"x".repeat(500)}`);
      const report = reportOf(named(...tasks), "");
      appendReport(report, path);
      const text = readFileSync(path, "utf8");
      assert.ok(Buffer.byteLength(text) <= 1024 ** 2);
      assert.match(
        text,
        /^before\n\n### bench[\s\S]*\n\n\d+ more lines do not fit here; --json has all\.\n$/,
      );
      writeFileSync(path, "x".repeat(1024 ** 2));
      appendReport(report, path);
      assert.equal(statSync(path).size, 1024 ** 2);
    }));
});
