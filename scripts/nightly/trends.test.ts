import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Change, JudgedLine, Series } from "../../suites/engine/judge/nights.ts";
import { COLOUR } from "../../suites/engine/render/pictures/dark.ts";
import { assertWhole, textsOf } from "../../suites/engine/render/pictures/races.synthetic.ts";
import { trendSpec } from "../../suites/engine/render/pictures/trends.ts";
import { METHOD_VERSION } from "../../suites/engine/schema/envelope.ts";
import { syntheticLine } from "./history.synthetic.ts";
import { drawTrends, trendFile, trendsOf } from "./trends.ts";

const NIGHTS = 20;

function series(cell: string, changes: readonly Partial<Change>[] = [], machine = "made-up-2c-1g"): Series {
  const all = changes.map(
    (change): Change => ({
      index: 10,
      before: 0.5,
      after: 0.6,
      standing: "confirmed",
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

const titles = (all: readonly Series[]) =>
  trendsOf(all).map(({ panels }) => panels.map(({ title }) => title));

describe("trends", () => {
  it("show what changed first, the newest change before the others, then the steady cells of each scenario together", () => {
    const all = [
      series("pick/u/steady/1w"),
      series("pick/u/old/1w", [{ index: 3 }]),
      series("pick/u/new/1w", [{ index: 3 }, { index: 15, before: 0.6, after: 0.5 }]),
      series("pick/u/steadier/1w"),
      series("pick/u/steady/2w"),
    ];
    assert.deepEqual(titles(all), [["u/new/1w", "u/old/1w", "u/1w: 2 steady", "u/2w: 1 steady"]]);
  });

  it("are a picture for each primitive and machine", () => {
    const all = [series("pick/u/a/1w"), series("locks/u/a/1w"), series("pick/u/a/1w", [], "other-4c-8g")];
    assert.deepEqual(trendsOf(all).map(trendFile), [
      "pick-made-up-2c-1g.svg",
      "locks-made-up-2c-1g.svg",
      "pick-other-4c-8g.svg",
    ]);
  });

  it("have twelve panels at most and name what is left out", async () => {
    const all = Array.from({ length: 14 }, (_, index) => series(`pick/s${index}/a/1w`));
    const [trends] = trendsOf(all);
    assert.equal(trends!.panels.length, 12);
    assert.deepEqual(trends!.omitted, ["s12/1w: 1 steady", "s13/1w: 1 steady"]);
    const [svg] = [...(await drawTrends(all)).values()];
    assert.ok(
      textsOf(svg!).join(" ").includes("Not drawn, for want of room: s12/1w: 1 steady; s13/1w: 1 steady"),
    );
  });

  it("mark a change with its commit, size and colour; one that is only suspected is dashed", async () => {
    const draw = async (change: Partial<Change>) => {
      const [svg] = [...(await drawTrends([series("pick/u/a/1w", [change])])).values()];
      return svg!;
    };
    const slower = await draw({});
    assertWhole(slower);
    const label = `${syntheticLine(10).commit.slice(0, 7)} +20 %: 0.5 to 0.6`;
    assert.ok(textsOf(slower).includes(label), textsOf(slower).join("\n"));
    const ruleOf = (svg: string, colour: string) =>
      [...svg.matchAll(/<line [^>]*>/g)].map(([rule]) => rule).filter((rule) => rule.includes(colour));
    assert.equal(ruleOf(slower, COLOUR.slower).length, 1);
    assert.equal(ruleOf(slower, COLOUR.faster).length, 0);
    assert.doesNotMatch(ruleOf(slower, COLOUR.slower)[0]!, /dasharray/);
    const faster = await draw({ after: 0.49 });
    assert.ok(
      textsOf(faster).some((text) => text.endsWith("-2.0 %: 0.5 to 0.49")),
      textsOf(faster).join("\n"),
    );
    assert.equal(ruleOf(faster, COLOUR.faster).length, 1);
    assert.match(ruleOf(await draw({ standing: "suspected" }), COLOUR.slower)[0]!, /dasharray/);
  });

  it("say in words what they show", async () => {
    const all = [series("pick/u/a/1w", [{}]), series("locks/u/a/1w")];
    const drawn = await drawTrends(all);
    assert.deepEqual(
      trendsOf(all).map((trends) => trendSpec(trends).description),
      [
        "pick on made-up-2c-1g: ratios to the baseline, night by night. pick/u/a/1w +20 % since 2026-01-11, confirmed",
        "locks on made-up-2c-1g: ratios to the baseline, night by night. No change",
      ],
    );
    const text = textsOf(drawn.get("pick-made-up-2c-1g.svg")!).join(" ");
    const nights = "Made from 20 nights: made-up-2c-1g, Node.js 24.0.0, profile full, method";
    assert.ok(text.includes(`${nights} ${METHOD_VERSION}`), text);
  });

  it("can be drawn of a single night, and stay in their frames whatever is in it", async () => {
    const one = { ...series("pick/u/a/1w"), lines: series("x/y/z/1w").lines.slice(0, 1), baseline: [] };
    const [single] = [...(await drawTrends([one])).values()];
    assertWhole(single!);
    assert.match(single!, /<path [^>]*fill="#777777"/, "a point");
    const tall = series("pick/u/a/1w");
    const outlying = {
      ...tall,
      lines: tall.lines.map((line, night) => (night === 5 ? { ...line, ratio: 500 } : line)),
    };
    const [svg] = [...(await drawTrends([outlying])).values()];
    assertWhole(svg!);
    const heights = [...svg!.matchAll(/<path d="(M[^"]*)"[^>]*stroke="#777777"/g)].flatMap(([, path]) =>
      [...path!.matchAll(/[ML,][-\d.]+,([-\d.]+)/g)].map(([, y]) => Number(y)),
    );
    assert.ok(heights.length >= NIGHTS && Math.min(...heights) >= 0, `${heights}`);
  });

  it("can be made of more nights than a call takes arguments", () => {
    const one = series("pick/u/a/1w");
    const lines = Array.from({ length: 10_000 }, () => one.lines).flat();
    const [trends] = trendsOf([{ ...one, lines }]);
    assert.ok(trendSpec(trends!));
  });

  it("are drawn the same from the same history, and none of none", async () => {
    const all = [series("pick/u/a/1w", [{}])];
    assert.deepEqual(await drawTrends(all), await drawTrends(all));
    assert.equal((await drawTrends([])).size, 0);
  });
});
