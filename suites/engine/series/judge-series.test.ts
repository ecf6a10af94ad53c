import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { judgeCommand } from "../cli/judge-command.ts";
import { golden, goldenCases } from "../golden.trials.ts";
import { withScratch } from "../measure/machine/scratch.ts";
import { present } from "../words/present.ts";
import { Random } from "../words/random.ts";
import { FEWEST_VALUES, judgeSeries } from "./alerts.ts";
import { type Level, nightsOf } from "./history.synthetic.ts";
import { judgeAll } from "./judge-series.ts";
import type { NamedSeries } from "./read-series.ts";

type Points = NamedSeries["points"];

function pointsOf(nights: ReturnType<typeof nightsOf>): Points {
  return nights.map(({ at, commit, value }) => ({ at, commit, value: 100 * Math.exp(value) }));
}

/** A series about 100 of these levels, with 1 % of noise. */
function seriesOf(levels: readonly Level[], more: Partial<NamedSeries> = {}, seed = 1): NamedSeries {
  const points = pointsOf(nightsOf(seed, levels, { scatter: 0.01 }));
  return { name: "parse", unit: "ns/iter", points, ...more };
}

const STEP = Math.log(1.05);
const UP = seriesOf([
  [0, 40],
  [STEP, 20],
]);
const BACK = seriesOf([
  [0, 30],
  [0.1, 30],
  [0, 30],
]);
const QUIET = seriesOf([[0, 60]], { name: "quiet", unit: "ops/s" }, 2);

/** CSV of these series, newest first, so that it has to be sorted. */
function csvOf(...all: readonly NamedSeries[]): string {
  const lines = all.flatMap(({ name, unit, points }) =>
    points.map(({ at, commit, value }) => [name, at, commit, unit, value].join(",")),
  );
  return ["series,date,commit,unit,value", ...lines.toReversed(), ""].join("\n");
}

/** What the command prints for this file, and what it exits with; or its refusal. */
function called(text: string, ...options: string[]): Promise<string> {
  return withScratch("judge", async (folder) => {
    const file = join(folder, "a.csv");
    writeFileSync(file, text);
    return said(["--csv", file, ...options]);
  });
}

function said(args: readonly string[]): string {
  try {
    const { text, exitCode } = judgeCommand(args);
    return `${text}exit ${exitCode}\n`;
  } catch (error) {
    return `refused: ${(error as Error).message}\n`;
  }
}

describe("hotpath-race judge", () => {
  it("prints a line for each series and each step, and the same as JSON", async (test) => {
    const failing = ["--fail-on", "slower"];
    // The newest twenty points in another unit.
    const inUs = (level: number) => {
      const series = seriesOf([
        [0, 40],
        [Math.log(level), 20],
      ]);
      const line = (text: string) => text.replace(/ns\/iter,(.*)$/, (_, ns) => `us/iter,${ns / 1000}`);
      return csvOf(series)
        .split("\n")
        .map((text, place) => (place > 0 && place <= 20 ? line(text) : text))
        .join("\n");
    };
    goldenCases(test, "testdata/judge-series.md", {
      "two series": await called(csvOf(UP, QUIET)),
      "as JSON": await called(csvOf(UP, QUIET), "--json"),
      "a slow-down that fails": await called(csvOf(UP), ...failing),
      "a step that was taken back": await called(csvOf(BACK), ...failing),
      "the same where larger is better": await called(csvOf(BACK), ...failing, "--larger-is-better"),
      "the newest twenty points": await called(csvOf(UP), ...failing, "--last", "20"),
      "too few points": await called(csvOf(seriesOf([[0, 5]]))),
      "another unit": await called(inUs(1), ...failing),
      "another unit and a slow-down": await called(inUs(2), ...failing),
    });
  });

  it("refuses a wrong request in one line", (test) => {
    const calls = [
      [],
      ["--csv", "a", "--data", "b"],
      ["--csv", "--json"],
      ["--csv", "a", "--last", "11"],
      ["--csv", "a", "--fail-on", "faster"],
      ["--csv", "a", "--larger-is-better", "--smaller-is-better"],
      ["--csv", "/nowhere.csv"],
    ];
    const texts = calls.map((args) => `${args.join(" ") || "nothing"}\n    ${said(args)}`);
    golden(test, "testdata/judge-refusals.txt", texts.join(""));
  });
});

describe("a series of another tool", () => {
  const judged = (series: NamedSeries, isLargerBetter?: boolean) =>
    judgeAll([series], { last: 1000, ...present({ isLargerBetter }) })[0]!;

  it("has no step that an alert reported, and that later points take back or no longer tell from noise", () => {
    const random = new Random(9, 1);
    // A pool in which every fifth machine is slower by 20 %.
    const pooled = nightsOf(9, [[0, 60]], { scatter: 0.01 }).map((night) => ({
      ...night,
      value: night.value + (random.fraction() < 0.2 ? 0.18 : 0),
    }));
    for (const nights of [pooled, nightsOf(640, [[0, 60]], { scatter: 0.01, memory: 0.5 })]) {
      assert.equal(judgeSeries(nights).alerts.length, 1);
      assert.equal(judged({ name: "a", points: pointsOf(nights) }).verdict, "no step");
    }
  });

  it("has no verdict with too few points, values that have no ratio, or too much noise", () => {
    const few = judged(seriesOf([[0, FEWEST_VALUES - 1]]));
    assert.equal(few.reason, "12 points are the fewest");
    const points = UP.points.with(50, { at: "x", value: 0 });
    assert.match(judged({ ...UP, points }).reason!, /its value of x is 0: ratios need values above 0/);
    const wild = UP.points.map((point, index) => ({ ...point, value: index % 2 === 0 ? 50 : 200 }));
    assert.match(judged({ ...UP, points: wild }).reason!, /its noise would hide a step of /);
    assert.notEqual(judged(seriesOf([[0, FEWEST_VALUES]])).reason, few.reason);
  });

  it("is worse in the direction that its unit, its file or an option says", (test) => {
    const units =
      "ns/iter; secs/op; nanoseconds (ns); B/op; ops/sec; operations / second (ops/s); MB/s; ops/ms; MHz; widgets";
    const cases: [string, NamedSeries, boolean?][] = [
      ...units.split("; ").map((unit): [string, NamedSeries] => [unit, { ...UP, unit }]),
      ["no unit", { name: "a", points: UP.points }],
      ["the file", { ...UP, isLargerBetter: true }],
      ["the file and an option", { ...UP, isLargerBetter: true }, false],
      ["an option", UP, true],
    ];
    const lines = cases.map(([what, series, isLarger]) => {
      const { isLargerBetter, directionBy, steps } = judged(series, isLarger);
      assert.equal(steps[0]!.isWorse, !isLargerBetter);
      return `${what}: ${isLargerBetter ? "larger" : "smaller"} is better, says ${directionBy}\n`;
    });
    golden(test, "testdata/directions.txt", lines.join(""));
  });
});
