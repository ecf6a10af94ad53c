import assert from "node:assert/strict";
import { it } from "node:test";
import { logTicks } from "./drawing.ts";

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
