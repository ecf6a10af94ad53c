import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { withScratch } from "../measure/machine/scratch.ts";
import type { Report, ReportedRace, ReportedRow } from "./report.ts";
import { appendReport, markdownOf, raceTextOf } from "./report-text.ts";

const FILE = pathToFileURL(resolve("bench/parse.js")).href;
const row: ReportedRow = {
  task: "JSON.parse",
  ns: { value: 254.4, low: 250.2, high: 258.9 },
  ratio: null,
  verdict: "baseline",
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

describe("the table of a race", () => {
  it("has a row for each task, and lines for what is to be known of it", () => {
    assert.equal(
      raceTextOf(race, { width: 80, histogram: false }),
      `bench/parse.js: small | large

task           time  99 % interval             ratio  verdict
JSON.parse   254 ns     250 to 259                    baseline
twice       1.51 us    1.5 to 1.52  2.00 (1.96-2.04)  slower
never                                                 no number

4 processes. Ratios are times relative to JSON.parse; the noise floor is 0.34 %.
twice: 1 of 4 processes not averaged: at x3.00.
never: no number, it threw: not today.

`,
    );
  });

  it("leaves out the middle of a name that is too long for the terminal, and what steers it", () => {
    const long = { ...row, task: `\u001b[2Jparse a large document ${"x".repeat(80)} of 1 MB` };
    const [, , , line] = raceTextOf({ ...race, rows: [long] }, { width: 70, histogram: false }).split("\n");
    assert.equal(line, " [2Jparse a lar…xxxxxx of 1 MB  254 ns     250 to 259         baseline");
  });

  it("has names as they were typed, joined letters and emoji too", () => {
    const names = ["👩‍💻 async", "می‌خواهم", "a\u200db", "a\tb"];
    const rows = names.map((task) => ({ ...row, task }));
    const lines = raceTextOf({ ...race, rows }, { width: 80, histogram: false }).split("\n");
    assert.deepEqual(
      lines.slice(3, 7).map((line) => line.split("  ", 1)[0]),
      ["👩‍💻 async", "می‌خواهم", "a b", "a b"],
    );
  });

  it("has names as they are where any number of characters fits", () => {
    const long = { ...row, task: "x".repeat(200) };
    const text = raceTextOf({ ...race, rows: [long] }, { width: Number.POSITIVE_INFINITY, histogram: false });
    assert.match(text, /\nx{200} {2}254 ns /);
  });

  it("is named by its group and what part of it races", () => {
    const options = { width: 80, histogram: false };
    assert.match(
      raceTextOf({ ...race, part: "async" }, options),
      /^bench\/parse\.js: small \| large, async\n/,
    );
    assert.match(raceTextOf({ ...race, group: "", part: "async" }, options), /^bench\/parse\.js: async\n/);
  });

  it("shows how processes spread where that is asked for", () => {
    assert.match(
      raceTextOf(race, { width: 80, histogram: true }),
      /\nJSON.parse {2}250 \|▄ {7}█ {6}▄\| 258 ns\n/,
    );
  });

  it("says how many workers there were, and that nothing is compared where a task is alone", () => {
    const text = raceTextOf(
      { ...race, workers: 4, group: "", floor: null, processes: 1, rows: [row] },
      { width: 80, histogram: false },
    );
    assert.match(text, /^bench\/parse.js, 4 workers\n/);
    assert.match(text, /\n1 process\.\n/);
  });

  it("is Markdown that shows names as they are", () => {
    const report = {
      races: [race],
      refused: [{ file: FILE, reason: "bench/parse.js: waits: waits 97 % of its time" }],
      machine: { cpu: "A CPU", cores: 2 },
      runtime: { name: "Node.js", version: "24.0.0" },
      seed: 7,
    } as unknown as Report;
    assert.equal(
      markdownOf(report),
      `### bench/parse.js: small \\| large

| task | time | 99 % interval | ratio | verdict |
| :-- | --: | --: | --: | :-- |
| JSON.parse | 254 ns | 250 to 259 |  | baseline |
| twice | 1.51 us | 1.5 to 1.52 | 2.00 (1.96-2.04) | slower |
| never |  |  |  | no number |

- 4 processes. Ratios are times relative to JSON.parse; the noise floor is 0.34 %.
- twice: 1 of 4 processes not averaged: at x3.00.
- never: no number, it threw: not today.

Not raced:

- bench/parse.js: waits: waits 97 % of its time

A CPU, 2 cores; Node.js 24.0.0; seed 7
`,
    );
  });

  it("is Markdown in which no name is markup", () => {
    const report = {
      races: [{ ...race, group: "", baseline: "a", rows: [{ ...row, task: "a|b `c` \\ <b>&amp;$x$\nd" }] }],
      refused: [{ file: FILE, reason: "bench/parse.js: a\n| b" }],
      machine: { cpu: "A CPU", cores: 2 },
      runtime: { name: "Node.js", version: "24.0.0" },
      seed: 7,
    } as unknown as Report;
    const text = markdownOf(report);
    assert.match(text, /^\| a\\\|b \\`c\\` \\\\ \\<b\\>\\&amp;\\\$x\\\$ d \| 254 ns /m);
    assert.match(text, /^- bench\/parse\.js: a \\\| b$/m);
  });

  it("is as much of a step's summary as GitHub shows", () =>
    withScratch("summary", async (folder) => {
      const path = join(folder, "summary.md");
      writeFileSync(path, "before\n");
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        ...row,
        task: `${index} ${"x".repeat(500)}`,
      }));
      const report = {
        races: [{ ...race, rows }],
        refused: [],
        machine: { cpu: "A CPU", cores: 2 },
        runtime: { name: "Node.js", version: "24.0.0" },
        seed: 7,
      } as unknown as Report;
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
