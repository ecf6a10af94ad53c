import assert from "node:assert/strict";
import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { syntheticLine } from "../series/history.synthetic.ts";
import type { Change, JudgedLine, Series } from "../series/nights.ts";
import { drawSvg } from "./drawing.ts";
import { assertWhole } from "./races.synthetic.ts";
import { trendSpec } from "./trends.ts";

const NIGHTS = 20;

function series(changes: readonly Partial<Change>[] = []): Series {
  const all = changes.map((change): Change => {
    return { index: 10, before: 0.5, after: 0.6, certainty: "confirmed", isNews: false, ...change };
  });
  const cell = "pick/u/a/1w";
  const line = (night: number, ratio: number | null) => syntheticLine(night, { cell, ratio });
  const lines = Array.from({ length: NIGHTS }, (_, night) => {
    const level = all.findLast(({ index }) => index <= night);
    return line(night, level?.after ?? 0.5) as JudgedLine;
  });
  const baseline = lines.map((_, night) => line(night, null));
  return { cell, machine: "made-up-2c-1g", lines, baseline, changes: all };
}

const STEADY = series();
const CASES: Readonly<Record<string, Series>> = {
  steady: STEADY,
  changed: series([{ index: 3 }, { index: 15, before: 0.6, after: 0.5, certainty: "suspected" }]),
  "with an outlier, which stays in its frame": {
    ...STEADY,
    lines: STEADY.lines.with(5, { ...STEADY.lines[5]!, ratio: 500 }),
  },
  "of a single night": { ...STEADY, lines: STEADY.lines.slice(0, 1), baseline: [] },
};

it("a trend says in words what it shows, and is whole", async (test) => {
  const said = Object.entries(CASES).map(([name, one]) => `${name}: ${trendSpec(one).description}\n`);
  golden(test, "testdata/trends.txt", said.join(""));
  for (const one of Object.values(CASES)) assertWhole(await drawSvg(trendSpec(one), "trend"));
  golden(test, "testdata/trend.svg", await drawSvg(trendSpec(CASES.changed!), "trend"));
});

it("a trend can be made of more nights than a call takes arguments", () => {
  assert.ok(trendSpec({ ...STEADY, lines: Array.from({ length: 10_000 }, () => STEADY.lines).flat() }));
});
