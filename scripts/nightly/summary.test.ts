import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup, syntheticRecord } from "../../suites/engine/judge/judge.synthetic.ts";
import type { Change, JudgedLine, Series } from "../../suites/engine/judge/nights.ts";
import { blocksMarkdown } from "../../suites/engine/render/tables/blocks.ts";
import type { HistoryLine } from "../../suites/engine/schema/history.ts";
import type { Section } from "./choice.ts";
import { syntheticLine } from "./history.synthetic.ts";
import { type Finding, judgeNight } from "./night.ts";
import { failuresOf, type NightReport, summaryBlocks } from "./summary.ts";

function summaryText(report: NightReport): string {
  return blocksMarkdown(summaryBlocks(report));
}

const NIGHTS = 4;
const cells = ["a", "b", "c"].map((scenario) => `synthetic/${scenario}/rival/1w`);

const history = Array.from({ length: NIGHTS }, (_, night) =>
  cells.flatMap((cell, index) => [
    syntheticLine(night, { cell }),
    syntheticLine(night, {
      cell: cell.replace("rival", "baseline"),
      ratio: null,
      medianNs: 20 + night + index,
    }),
  ]),
).flat();
const lines = history.slice(-2 * cells.length);
const night = judgeNight(history, lines);

const section = (name: string): Section => ({ name, groups: [], cells: [], estimateMs: 90 * 60_000 });
const sections = [
  ...cells.map((cell) => section(cell.replace("/rival", ""))),
  section("other/x/1w"),
  section("other/y/2w"),
];

function report(other: Partial<NightReport> = {}): NightReport {
  return {
    night,
    lines,
    appended: lines.length,
    sections,
    earlier: history.slice(0, -lines.length),
    damaged: [],
    interrupted: false,
    failures: [],
    ...other,
  };
}

function finding(index: number, change: Partial<Change>, other: Partial<Series> = {}): Finding {
  return {
    series: { ...night.tonight[index]!, ...other },
    change: { index: 2, before: 0.5, after: 0.6, standing: "confirmed", isNews: true, ...change },
  };
}

describe("a summary", () => {
  it("begins with the verdict of the night", () => {
    const [first] = summaryText(report()).split("\n");
    assert.equal(
      first,
      "**0 confirmed regressions, 0 suspected, 3 series steady; 3 groups measured, 2 wait for later nights**",
    );
    const busy = {
      ...night,
      regressions: [finding(0, {})],
      suspected: [finding(1, { standing: "suspected", isNews: false })],
      improvements: [finding(2, { after: 0.4 })],
      numberless: [syntheticLine(3, { medianNs: null, ratio: null, reason: "two\nholders" })],
    };
    assert.match(
      summaryText(report({ night: busy })),
      /^\*\*1 confirmed regression, 1 suspected, 1 improvement, 0 series steady, 1 cell without a number; /,
    );
  });

  it("has a table of what was confirmed, the worst first: since when, by how much, and beside which baseline", () => {
    const regressions = [finding(0, {}), finding(1, { after: 0.75 })];
    const text = summaryText(report({ night: { ...night, regressions } }));
    const rows = text.split("\n").filter((line) => line.startsWith("| synthetic/"));
    assert.equal(rows.length, 2);
    const row = rows.map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    const short = (at: number) => syntheticLine(at).commit.slice(0, 12);
    assert.deepEqual(row[0], [
      cells[1],
      "+50.0 %",
      "0.5 to 0.75",
      "2026-01-03",
      `${short(2)}, after ${short(1)}`,
      "made-up-2c-1g",
      "2",
      "22 to 23",
      "–",
    ]);
    assert.deepEqual([row[1]![0], row[1]![1]], [cells[0], "+20.0 %"]);
    assert.match(text, /## Confirmed regressions\n/);
    assert.doesNotMatch(text, /## (Suspected|Improvements|Without)/);
  });

  it("has tables of suspected changes, improvements and cells without a number, each where there are any", () => {
    const text = summaryText(
      report({
        night: {
          ...night,
          suspected: [finding(0, { index: 3, standing: "suspected", isNews: false })],
          improvements: [finding(1, { after: 0.4 })],
          numberless: [syntheticLine(3, { medianNs: null, ratio: null, reason: "two\nholders | at once" })],
        },
        failures: ["synthetic/a/1w, fork 3 lost: it died"],
      }),
    );
    assert.match(text, /## Suspected changes\n\n[^#]*\| synthetic\/a\/rival\/1w \| \+20\.0 % .* \| +1 \|/);
    assert.match(text, /## Improvements\n\n[^#]*\| synthetic\/b\/rival\/1w .*-20\.0 % \|/);
    assert.match(text, /^- synthetic\/test\/rival\/1w @ made-up-2c-1g: two holders \| at once$/m);
    assert.match(text, /^- synthetic\/a\/1w, fork 3 lost: it died$/m);
    assert.doesNotMatch(text, /## Confirmed/);
  });

  it("notes a runtime that changed with the ratio", () => {
    const [series] = night.tonight;
    const runtime = "Node.js 25.0.0";
    const changed = series!.lines.map((line, index): JudgedLine => (index < 2 ? line : { ...line, runtime }));
    const regressions = [finding(0, {}, { lines: changed })];
    assert.match(
      summaryText(report({ night: { ...night, regressions } })),
      /with the change from Node\.js 24\.0\.0 to Node\.js 25\.0\.0/,
    );
  });

  it("says how far the nights have come", () => {
    const text = summaryText(report());
    assert.match(text, /\| synthetic +\| +3 \| +0 \| +0 \|/);
    assert.match(text, /\| other +\| +0 \| +2 \| +2 \|/);
    assert.match(text, /All 5 together take about 7 h 30 min\./);
    assert.match(text, /Never measured: other\/x\/1w, other\/y\/2w\./);
    const known = [...history, syntheticLine(0, { cell: "other/x/rival/1w" })];
    assert.match(summaryText(report({ earlier: known })), /\| other +\| +0 \| +2 \| +1 \|/);
  });

  it("says what is odd: nothing to compare with, an interruption, a clock, lines that were there, damaged lines", () => {
    const remark = (other: Partial<NightReport>) =>
      summaryText(report(other)).split("\n").slice(4, -1).join("\n");
    assert.doesNotMatch(remark({}), /earlier night|Interrupted|clock|already|left out/);
    const first: readonly HistoryLine[] = history.slice(0, lines.length);
    assert.match(
      remark({ night: judgeNight(first, first), lines: first, earlier: [] }),
      /No cell has an earlier night to be compared with yet: nothing is judged\./,
    );
    assert.match(remark({ interrupted: true }), /Interrupted: only what was finished/);
    assert.match(
      remark({ night: { ...night, clockBackMs: 50 * 3_600_000 } }),
      /clock went back by 2 days since an earlier night, or this one was appended late/,
    );
    assert.match(remark({ appended: 0 }), /was in the history already: nothing was appended/);
    assert.match(remark({ appended: 2 }), /4 of 6 lines were in the history already/);
    const damaged = Array.from({ length: 7 }, (_, line) => ({ line: line + 1, reason: "is not JSON" }));
    assert.match(
      remark({ damaged }),
      /7 lines of the history left out, and left as they are: line 1 is not JSON; .*line 5 is not JSON; \.\.\.\./,
    );
    assert.match(
      remark({ damaged: damaged.slice(0, 1) }),
      /1 line of the history left out, and left as it is: line 1/,
    );
  });

  it("reports failures that no line has: lost processes, and the engine's own crews", () => {
    const group = syntheticGroup({
      costsNs: { baseline: 20, rival: 10 },
      workers: 1,
      forks: 2,
      rounds: 2,
      sliceNoise: 0,
      forkNoise: 0,
      roundNoise: 0,
      seed: 1,
    });
    const failure = { kind: "fault" as const, reason: "it stopped" };
    const failing = (kinds: readonly string[]) => ({
      ...group,
      cells: group.cells.map((cell) => (kinds.includes(cell.kind) ? { ...cell, failure } : cell)),
    });
    assert.deepEqual(failuresOf(syntheticRecord([failing(["baseline", "rival"])], 1)), []);
    const lost = { ...failing(["control"]), lostForks: [{ fork: 1, reason: "it died" }] };
    assert.deepEqual(failuresOf(syntheticRecord([lost], 1)), [
      "synthetic/test/1w, fork 2 lost: it died",
      "synthetic/test/control/1w: it stopped",
    ]);
  });
});
