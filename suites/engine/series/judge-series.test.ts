import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withScratch } from "../measure/machine/scratch.ts";
import { Random } from "../words/random.ts";
import { FEWEST_VALUES, judgeSeries } from "./alerts.ts";
import { type Level, nightsOf } from "./history.synthetic.ts";
import { type JudgedSeries, judgeAll, judgeCommand } from "./judge-series.ts";
import type { NamedSeries } from "./read-series.ts";

/** A series about 100 of these levels, with 1 % of noise. */
function seriesOf(levels: readonly Level[], more: Partial<NamedSeries> = {}, seed = 1): NamedSeries {
  const nights = nightsOf(seed, levels, { scatter: 0.01 });
  const points = nights.map(({ at, commit, value }) => ({ at, commit, value: 100 * Math.exp(value) }));
  return { name: "parse", unit: "ns/iter", points, ...more };
}

const UP = seriesOf([
  [0, 40],
  [Math.log(1.05), 20],
]);

function judged(series: NamedSeries, isLargerBetter?: boolean): JudgedSeries {
  return judgeAll([series], { last: 1000, ...(isLargerBetter === undefined ? {} : { isLargerBetter }) })[0]!;
}

describe("a series of another tool", () => {
  it("has a step where its level changes, with when, how much and an interval that covers it", () => {
    const { verdict, steps } = judged(UP);
    assert.equal(verdict, "steps");
    assert.equal(steps.length, 1);
    const [{ at, commit, index, change, low, high, isWorse }] = steps as [JudgedSeries["steps"][number]];
    assert.deepEqual([index, at, commit], [40, UP.points[40]!.at, UP.points[40]!.commit]);
    assert.ok(low < 0.05 && 0.05 < high && low > 0.03 && high < 0.07, `${low} ${change} ${high}`);
    assert.equal(isWorse, true);
  });

  it("has no step where it has none, with the size that noise would hide", () => {
    const { verdict, steps, hidden } = judged(seriesOf([[0, 60]]));
    assert.deepEqual([verdict, steps], ["no step", []]);
    assert.ok(hidden! > 0.01 && hidden! < 0.03, `${hidden}`);
  });

  it("has no step that an alert reported, and that later points take back or no longer tell from noise", () => {
    const random = new Random(9, 1);
    // A pool in which every fifth machine is slower by 20 %.
    const pooled = nightsOf(9, [[0, 60]], { scatter: 0.01 }).map((night) => ({
      ...night,
      value: night.value + (random.fraction() < 0.2 ? 0.18 : 0),
    }));
    assert.equal(judgeSeries(pooled).alerts.length, 1);
    assert.equal(judged(seriesOf([], { points: pointsOf(pooled) })).verdict, "no step");
    const reported = nightsOf(640, [[0, 60]], { scatter: 0.01, memory: 0.5 });
    assert.equal(judgeSeries(reported).alerts.length, 1);
    assert.equal(judged(seriesOf([], { points: pointsOf(reported) })).verdict, "no step");
  });

  it("have no verdict with too few points, values that have no ratio, or too much noise", () => {
    const few = judged(seriesOf([[0, FEWEST_VALUES - 1]]));
    assert.equal(few.reason, "12 points are the fewest");
    const points = UP.points.with(50, { at: "x", value: 0 });
    assert.match(judged({ ...UP, points }).reason!, /its value of x is 0: ratios need values above 0/);
    const wild = UP.points.map((point, index) => ({ ...point, value: index % 2 === 0 ? 50 : 200 }));
    assert.match(judged({ ...UP, points: wild }).reason!, /its noise would hide a step of /);
    assert.notEqual(judged(seriesOf([[0, FEWEST_VALUES]])).reason, few.reason);
  });

  it("is worse in the direction that its unit, its file or an option says", () => {
    for (const [unit, isLargerBetter, by] of [
      ["ns/iter", false, "unit"],
      ["secs/op", false, "unit"],
      ["nanoseconds (ns)", false, "unit"],
      ["B/op", false, "unit"],
      ["ops/sec", true, "unit"],
      ["operations / second (ops/s)", true, "unit"],
      ["MB/s", true, "unit"],
      ["ops/ms", true, "unit"],
      ["MHz", true, "unit"],
      ["widgets", false, "nothing"],
      [undefined, false, "nothing"],
    ] as const) {
      const { unit: _, ...rest } = UP;
      const one = judged({ ...rest, ...(unit === undefined ? {} : { unit }) });
      assert.deepEqual([one.isLargerBetter, one.directionBy], [isLargerBetter, by], unit ?? "no unit");
      assert.equal(one.steps[0]!.isWorse, !isLargerBetter);
    }
    assert.equal(judged({ ...UP, isLargerBetter: true }).directionBy, "file");
    assert.deepEqual(judged({ ...UP, isLargerBetter: true }, false).directionBy, "option");
    assert.equal(judged(UP, true).steps[0]!.isWorse, false);
  });
});

function pointsOf(nights: ReturnType<typeof nightsOf>): NamedSeries["points"] {
  return nights.map(({ at, commit, value }) => ({ at, commit, value: 100 * Math.exp(value) }));
}

/** CSV of these series, newest first, so that it has to be sorted. */
function csvOf(...all: readonly NamedSeries[]): string {
  const lines = all.flatMap(({ name, unit, points }) =>
    points.map(({ at, commit, value }) => [name, at, commit, unit, value].join(",")),
  );
  return ["series,date,commit,unit,value", ...lines.toReversed(), ""].join("\n");
}

describe("hotpath-race judge", () => {
  it("exits with 3 where the newest step of any series is a slow-down, if asked to", () =>
    withScratch("judge", async (folder) => {
      const back = seriesOf(
        [
          [0, 30],
          [0.1, 30],
          [0, 30],
        ],
        { name: "back" },
      );
      const exitOf = (series: NamedSeries, ...options: string[]) => {
        const file = join(folder, "a.csv");
        writeFileSync(file, csvOf(series));
        return judgeCommand(["--csv", file, ...options]).exitCode;
      };
      assert.equal(exitOf(UP), 0);
      assert.equal(exitOf(UP, "--fail-on", "slower"), 3);
      assert.equal(exitOf(back, "--fail-on", "slower"), 0);
      assert.equal(exitOf(back, "--fail-on", "slower", "--larger-is-better"), 3);
      assert.equal(exitOf(UP, "--fail-on", "slower", "--last", "20"), 0);
    }));

  it("sees a slow-down, and nothing else, where the unit changes", () =>
    withScratch("judge", async (folder) => {
      const exitOf = (level: number) => {
        const file = join(folder, "a.csv");
        const [header, ...newestFirst] = csvOf(
          seriesOf([
            [0, 40],
            [Math.log(level), 20],
          ]),
        ).split("\n");
        const inUs = (line: string) => line.replace(/ns\/iter,(.*)$/, (_, ns) => `us/iter,${ns / 1000}`);
        const lines = newestFirst.map((line, place) => (place < 20 ? inUs(line) : line));
        writeFileSync(file, [header, ...lines].join("\n"));
        return judgeCommand(["--csv", file, "--fail-on", "slower"]).exitCode;
      };
      assert.deepEqual([exitOf(1), exitOf(2)], [0, 3]);
    }));

  it("prints a line for each series and each step, and the same as JSON", () =>
    withScratch("judge", async (folder) => {
      const file = join(folder, "a.csv");
      writeFileSync(file, csvOf(UP, seriesOf([[0, 60]], { name: "quiet", unit: "ops/s" }, 2)));
      const { text } = judgeCommand(["--csv", file]);
      assert.match(text, /^parse \(ns\/iter, smaller is better\), 60 points: 1 step$/m);
      assert.match(
        text,
        /^ {2}2026-02-10T02:00:00.000Z \(0000000000\): \+5\.\d % \[\+\d\.\d %, \+\d\.\d %\], slower$/m,
      );
      assert.match(
        text,
        /^quiet \(ops\/s, larger is better\), 60 points: no step; noise would hide one of \d\.\d % in the middle$/m,
      );
      assert.match(text, /\n2 series: 1 with steps, 1 without, 0 undecided\.\n$/);
      const { version, series } = JSON.parse(judgeCommand(["--csv", file, "--json"]).text);
      assert.deepEqual([version, series.length], [1, 2]);
      assert.deepEqual(series.find(({ name }: JudgedSeries) => name === "parse").steps.length, 1);
    }));

  it("refuses a wrong request in one line", () => {
    for (const [args, line] of [
      [[], "give one of --csv, --data and --bencher FILE"],
      [["--csv", "a", "--data", "b"], "give one of --csv, --data and --bencher FILE"],
      [["--csv", "--json"], "Option '--csv' argument is ambiguous."],
      [["--csv", "a", "--last", "11"], '--last is "11": give a whole number from 12 to 5000'],
      [["--csv", "a", "--fail-on", "faster"], '--fail-on is "faster": give slower'],
      [
        ["--csv", "a", "--larger-is-better", "--smaller-is-better"],
        "give --larger-is-better or --smaller-is-better, not both",
      ],
      [["--csv", "/nowhere.csv"], "/nowhere.csv cannot be read: ENOENT"],
    ] as const)
      assert.throws(() => judgeCommand(args), { message: line });
  });
});
