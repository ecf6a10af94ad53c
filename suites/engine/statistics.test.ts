import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  median,
  quantile,
  standardDeviation,
  studentP,
  studentQuantile,
  trigamma,
  trigammaInverse,
  wilsonInterval,
} from "./statistics.ts";

describe("statistics by hand", () => {
  it("median", () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([7]), 7);
    assert.ok(Number.isNaN(median([])));
  });

  it("quantile interpolates between order statistics (type 7)", () => {
    assert.equal(quantile([1, 2, 3, 4, 5], 0.25), 2);
    assert.equal(quantile([1, 2, 3, 4], 0.25), 1.75);
    assert.equal(quantile([10, 20], 0.95), 19.5);
    assert.equal(quantile([10, 20], 1), 20);
    assert.equal(quantile([1, Infinity], 0.5), Infinity);
    assert.equal(quantile([1, Infinity, Infinity], 1), Infinity);
    assert.equal(quantile([Infinity, Infinity], 0.5), Infinity);
  });

  it("standard deviation", () => {
    // Squares of the deviations from 5 add up to 32; 32 / 7 under the root.
    assert.equal(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]), Math.sqrt(32 / 7));
  });

  it("trigamma, as tables have it, and its inverse", () => {
    const known = [
      [0.5, Math.PI ** 2 / 2],
      [1, Math.PI ** 2 / 6],
      [2, Math.PI ** 2 / 6 - 1],
      [10, 0.10516633568],
    ] as const;
    for (const [x, value] of known) {
      assert.ok(Math.abs(trigamma(x) - value) < 1e-8, `${x}: ${trigamma(x)}`);
      assert.ok(Math.abs(trigammaInverse(value) - x) < 1e-6 * x, `${value}: ${trigammaInverse(value)}`);
    }
    for (const x of [1e-3, 0.07, 3, 50, 1e4])
      assert.ok(Math.abs(trigammaInverse(trigamma(x)) / x - 1) < 1e-6, String(x));
  });

  it("quantiles of any values lie between them and never fall", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const sorted = values.toSorted((a, b) => a - b);
        const quantiles = [0, 0.1, 0.5, 0.9, 1].map((share) => quantile(sorted, share));
        assert.equal(quantiles[0], sorted[0]);
        assert.equal(quantiles.at(-1), sorted.at(-1));
        for (const [index, value] of quantiles.slice(1).entries()) assert.ok(value >= quantiles[index]!);
      }),
    );
  });
});

it("Wilson's interval, as Newcombe (1998) tabulates it", () => {
  for (const [seen, draws, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const interval = wilsonInterval(seen, draws);
    assert.ok(Math.abs(interval.low - low) < 5e-5, `${seen} of ${draws}: ${interval.low}`);
    assert.ok(Math.abs(interval.high - high) < 5e-5, `${seen} of ${draws}: ${interval.high}`);
  }
});

describe("Student's t", () => {
  for (const [share, freedom, tabulated] of [
    [0.995, 1, 63.657],
    [0.995, 2, 9.925],
    [0.995, 4, 4.604],
    [0.975, 5, 2.571],
    [0.995, 9, 3.25],
    [0.9995, 8, 5.041],
    [0.995, 30, 2.75],
  ] as const) {
    it(`${share} with ${freedom} degrees of freedom is ${tabulated}, as tabulated`, () => {
      assert.ok(
        Math.abs(studentQuantile(share, freedom) - tabulated) < 0.001,
        `${studentQuantile(share, freedom)}`,
      );
    });
  }
});

describe("the p of Student's t", () => {
  it("is what the quantiles say, on both sides", () => {
    for (const freedom of [1, 2, 5, 48, 399]) {
      for (const p of [0.5, 0.05, 0.001, 1e-6]) {
        assert.ok(Math.abs(studentP(studentQuantile(1 - p / 2, freedom), freedom) / p - 1) < 1e-6);
      }
    }
  });

  it("is 1 for no difference, a half at t = 1 with one degree of freedom, and 0 for an infinite one", () => {
    assert.equal(studentP(0, 7), 1);
    assert.ok(Math.abs(studentP(1, 1) - 0.5) < 1e-15);
    for (const freedom of [1, 2, 3, 98]) assert.ok(studentP(Number.POSITIVE_INFINITY, freedom) < 1e-15);
  });
});
