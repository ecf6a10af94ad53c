import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bandOf, valuesPerColumn } from "./band.ts";

describe("the columns of a band", () => {
  const rising = Array.from({ length: 100 }, (_, index) => index);

  it("are the values themselves where there is a column for each", () => {
    assert.deepEqual(bandOf([3, 1, 2], [4, 1, 5], 1), { values: 3, per: 1, low: [3, 1, 2], high: [4, 1, 5] });
  });

  it("hold every value once, equally many each but for the last", () => {
    for (const per of [1, 7, 10, 99, 100, 101]) {
      const { values, low, high } = bandOf(rising, rising, per);
      assert.equal(values, 100);
      assert.deepEqual(
        low,
        rising.filter((index) => index % per === 0),
      );
      assert.deepEqual(
        high,
        low.map((at) => Math.min(99, at + per - 1)),
      );
    }
  });

  it("lose no spike, wherever it stands", () => {
    for (const place of [0, 1, 49, 50, 98, 99]) {
      const series = rising.map((index) => (index === place ? 1000 : 1));
      const { low, high } = bandOf(series, series, 12);
      assert.equal(high.filter((value) => value === 1000).length, 1, String(place));
      assert.ok(low.every((value) => value === 1));
    }
  });

  it("are as many as there are pixels, fewer in each of several panels", () => {
    assert.equal(valuesPerColumn(21_600, 1), 28);
    assert.equal(valuesPerColumn(360, 21), 2);
    assert.equal(valuesPerColumn(3, 1), 1);
  });
});
