import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { assertWhole } from "../../suites/lab/pictures/races.synthetic.ts";
import { trendSpec } from "../../suites/lab/pictures/trends.ts";
import { syntheticLine } from "../../suites/lab/series/history.synthetic.ts";
import type { Change, JudgedLine, Series } from "../../suites/lab/series/nights.ts";
import { drawTrends, trendFile, trendsOf } from "./trends.ts";

const NIGHTS = 20;

function series(cell: string, changes: readonly Partial<Change>[] = [], machine = "made-up-2c-1g"): Series {
  const all = changes.map(
    (change): Change => ({
      index: 10,
      before: 0.5,
      after: 0.6,
      certainty: "confirmed",
      isNews: false,
      ...change,
    }),
  );
  const line = (night: number, ratio: number | null) => syntheticLine(night, { cell, machine, ratio });
  return {
    cell,
    machine,
    lines: Array.from({ length: NIGHTS }, (_, night) => {
      const level = all.findLast(({ index }) => index <= night);
      return line(night, level?.after ?? 0.5) as JudgedLine;
    }),
    baseline: Array.from({ length: NIGHTS }, (_, night) => line(night, null)),
    changes: all,
  };
}

const ONE = series("locks/u/a/1w");
/** What changed before the steady cells of each scenario together, in two primitives, on two machines. */
const ALL = [
  series("pick/u/steady/1w"),
  series("pick/u/old/1w", [{ index: 3, after: 0.49 }]),
  series("pick/u/new/1w", [{ index: 3 }, { index: 15, before: 0.6, after: 0.5, certainty: "suspected" }]),
  series("pick/u/steadier/1w"),
  series("pick/u/steady/2w"),
  { ...ONE, lines: ONE.lines.slice(0, 1), baseline: [] },
  series("pick/u/a/1w", [], "other-4c-8g"),
  // An outlier stays in its frame.
  ...Array.from({ length: 14 }, (_, index) => {
    const one = series(`timers/s${index}/a/1w`);
    return { ...one, lines: one.lines.with(5, { ...one.lines[5]!, ratio: 500 }) };
  }),
];

describe("trends", () => {
  it("are a picture for each primitive and machine, which says in words what it shows", async (test) => {
    const words = trendsOf(ALL).map((trends) => {
      const panels = trends.panels.map(({ title }) => `  ${title}\n`).join("");
      return `${trendFile(trends)}: ${trendSpec(trends).description}\n${panels}  omitted: ${trends.omitted}\n`;
    });
    golden(test, "testdata/trends.txt", words.join(""));
    const drawn = await drawTrends(ALL);
    assert.deepEqual([...drawn.keys()], trendsOf(ALL).map(trendFile));
    for (const [file, svg] of drawn) {
      assertWhole(svg);
      golden(test, `testdata/${file}`, svg);
    }
    assert.deepEqual(await drawTrends(ALL), drawn);
    assert.equal((await drawTrends([])).size, 0);
  });

  it("of one panel, which has a change early or a single night, are whole", async () => {
    for (const one of [series("pick/u/a/1w", [{}]), { ...ONE, lines: ONE.lines.slice(0, 1), baseline: [] }])
      for (const svg of (await drawTrends([one])).values()) assertWhole(svg);
  });

  it("can be made of more nights than a call takes arguments", () => {
    const lines = Array.from({ length: 10_000 }, () => ONE.lines).flat();
    const [trends] = trendsOf([{ ...ONE, lines }]);
    assert.ok(trendSpec(trends!));
  });
});
