import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COLOUR, TONES } from "./dark.ts";
import { drawSvg, LETTER_PX, legendColumns, logTicks, sheetSpec, WIDTH_PX, wrapped } from "./drawing.ts";

it("a logarithmic axis has two to six round ticks", () => {
  const domains: [number, number][] = [
    [10, 40],
    [21, 84],
    [55, 220],
    [0.24, 0.96],
    [2, 105],
    [4, 4000],
    [1, 1e7],
    [3, 9e14],
  ];
  for (const [low, high] of domains) {
    const ticks = logTicks([low, high]);
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${low} to ${high}: ${ticks}`);
    for (const tick of ticks)
      assert.ok(tick >= low && tick <= high && String(tick).replace(/[.0]/g, "").length <= 2);
  }
  assert.deepEqual(logTicks([2, 105]), [2, 5, 10, 20, 50, 100]);
});

it("a text is in lines that fit, and loses no letter", () => {
  const text = `a word, ${"a-file-name-".repeat(9)} and another`;
  const lines = wrapped(text, WIDTH_PX);
  for (const line of lines) assert.ok(line.length * LETTER_PX <= WIDTH_PX, line);
  assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
  assert.deepEqual(wrapped("a b", WIDTH_PX), ["a b"]);
});

it("a legend has as many columns as the picture has room for, and no more than it has entries", () => {
  assert.equal(legendColumns(["a", "b"], 20), 2);
  assert.equal(legendColumns(new Array<string>(4).fill("unattributed"), 20), 2);
  assert.equal(legendColumns(["x".repeat(WIDTH_PX)], 20), 1);
});

describe("a drawn picture", () => {
  const sheet = { alt: "a dot", title: "A dot", subtitle: [], notes: ["No more"], indentPx: 0 };
  const dot = (color: string) =>
    sheetSpec(sheet, { data: { values: [{}] }, mark: { type: "point", x: 5, y: 5, color, opacity: 1 } });

  it("is light and dark", async () => {
    const svg = await drawSvg(dot(COLOUR.faster), "dot");
    assert.match(svg, /^<svg [^>]*><style>@media \(prefers-color-scheme:dark\)/);
    assert.ok(svg.includes(`[stroke="${COLOUR.faster}"]{stroke:${TONES.faster.dark}}`));
  });

  it("has no colour without a dark counterpart", async () => {
    await assert.rejects(drawSvg(dot("#123456"), "dot"), /stroke="#123456", which is no colour of dark\.ts/);
  });
});
