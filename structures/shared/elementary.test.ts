import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { exponential, partOfTurn } from "./elementary.ts";

/** A few units in the last place. */
const CLOSE = 1e-15;

suite("elementary functions", () => {
  test("exponential is the engine's, within rounding", () => {
    for (let x = -1; x <= 1; x += 1 / 64)
      assert.ok(Math.abs(exponential(x) / Math.exp(x) - 1) < CLOSE, `e to the power of ${x}`);
    for (const x of [-1.01, 2, Number.NaN]) assert.throws(() => exponential(x), RangeError);
  });

  test("partOfTurn is the engine's, within rounding", () => {
    for (const parts of [8, 9, 60, 600, 749.5, 1e6]) {
      const { cosine, sine } = partOfTurn(parts);
      const angle = (2 * Math.PI) / parts;
      assert.ok(Math.abs(cosine - Math.cos(angle)) < CLOSE, `cosine of a ${parts}th`);
      assert.ok(Math.abs(sine - Math.sin(angle)) < CLOSE, `sine of a ${parts}th`);
    }
    for (const parts of [7, 0, Number.NaN]) assert.throws(() => partOfTurn(parts), RangeError);
  });
});
