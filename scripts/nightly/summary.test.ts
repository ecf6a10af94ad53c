import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../../suites/engine/golden.trials.ts";
import { syntheticGroup } from "../../suites/engine/judge/judge.synthetic.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import { syntheticLine } from "../../suites/lab/series/history.synthetic.ts";
import type { HistoryLine } from "../../suites/lab/series/history.ts";
import type { Change, JudgedLine } from "../../suites/lab/series/nights.ts";
import { blocksMarkdown } from "../../suites/lab/tables/blocks.ts";
import type { Section } from "./choice.ts";
import { type Finding, judgeNight } from "./night.ts";
import { failuresOf, type NightReport, summaryBlocks } from "./summary.ts";

const NIGHTS = 4;
const CELLS = ["a", "b", "c"].map((scenario) => `synthetic/${scenario}/rival/1w`);

/** Nights of three cells and their baselines. */
function historyOf(nights: number, other: (night: number) => Partial<HistoryLine> = () => ({})) {
  return Array.from({ length: nights }, (_, night) =>
    CELLS.flatMap((cell, index) => [
      syntheticLine(night, { cell, ...other(night) }),
      syntheticLine(night, {
        cell: cell.replace("rival", "baseline"),
        ratio: null,
        medianNs: 20 + night + index,
      }),
    ]),
  ).flat();
}

const section = (name: string): Section => ({ name, groups: [], cells: [], estimateMs: 90 * 60_000 });
const SECTIONS = [
  ...CELLS.map((cell) => section(cell.replace("/rival", ""))),
  section("other/x/1w"),
  section("other/y/2w"),
];

/** The last night of a history. */
function report(history: readonly HistoryLine[] = historyOf(NIGHTS)): NightReport {
  const lines = history.slice(-2 * CELLS.length);
  return {
    night: judgeNight(history, lines),
    lines,
    appended: lines.length,
    sections: SECTIONS,
    earlier: history.slice(0, -lines.length),
    damaged: [],
    interrupted: false,
    failures: [],
  };
}

const QUIET = report();
/** Of the last cell the runtime is another from the third night on. */
const TONIGHT = QUIET.night.tonight.map((series, index) => ({
  ...series,
  lines: series.lines.map(
    (line, night): JudgedLine => (index < 2 || night < 2 ? line : { ...line, runtime: "Node.js 25.0.0" }),
  ),
}));
const NUMBERLESS = syntheticLine(3, { medianNs: null, ratio: null, reason: "two\nholders | at once" });

function finding(index: number, change: Partial<Change>): Finding {
  return {
    series: TONIGHT[index]!,
    change: { index: 2, before: 0.5, after: 0.6, certainty: "confirmed", isNews: true, ...change },
  };
}

const SUSPECTED = { certainty: "suspected", isNews: false } as const;
const DAMAGED = Array.from({ length: 7 }, (_, line) => ({ line: line + 1, reason: "is not JSON" }));

/** 14 quiet nights of which the last has a step of 2.5 times, and one more in another state. */
const OTHER_STATE = historyOf(15, (night) => ({
  state: night < 14 ? "quiet" : "far",
  ratio: (night < 13 ? 0.5 : 1.25) * (1 + 0.001 * (night % 3)),
}));

const REPORTS: Readonly<Record<string, NightReport>> = {
  steady: QUIET,
  first: report(historyOf(1)),
  "in another state": report(OTHER_STATE),
  "in another state, one cell": report(
    OTHER_STATE.map((line, place) =>
      place >= 14 * 6 + 2 ? { ...line, state: "quiet", ratio: line.ratio && 0.5 } : line,
    ),
  ),
  busy: {
    ...QUIET,
    night: {
      ...QUIET.night,
      tonight: TONIGHT,
      regressions: [finding(0, {}), finding(1, { after: 0.75 })],
      suspected: [finding(1, { index: 3, ...SUSPECTED })],
      improvements: [finding(2, { after: 0.4 })],
      numberless: [NUMBERLESS],
    },
    failures: ["synthetic/a/1w, fork 3 lost: it died"],
  },
  odd: {
    ...QUIET,
    night: { ...QUIET.night, clockBackMs: 50 * 3_600_000 },
    earlier: [...QUIET.earlier, syntheticLine(0, { cell: "other/x/rival/1w" })],
    interrupted: true,
    appended: 2,
    damaged: DAMAGED,
  },
  "of a record that holds markup": {
    ...QUIET,
    lines: QUIET.lines.map((line) => ({ ...line, runtime: "<b>Node</b>", profile: "[full](http:x)" })),
    night: {
      ...QUIET.night,
      suspected: [finding(0, SUSPECTED)].map(({ series, change }) => ({
        series: { ...series, cell: "synthetic/`a`/<i>/1w" },
        change,
      })),
      numberless: [{ ...NUMBERLESS, reason: "@all, see #1 and https://www.example.org" }],
    },
    failures: ["synthetic/a/1w, fork 3 lost: ![it](http://x) **died**"],
  },
  "appended again": { ...QUIET, appended: 0, damaged: DAMAGED.slice(0, 1) },
};

describe("the summary of a night", () => {
  it("says what was found, what is odd, and how far the nights have come", (t) => {
    const texts = Object.entries(REPORTS).map(([name, shown]) => [
      name,
      blocksMarkdown(summaryBlocks(shown)),
    ]);
    goldenCases(t, "testdata/summary.md", Object.fromEntries(texts));
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
