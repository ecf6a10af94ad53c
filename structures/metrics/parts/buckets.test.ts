import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Buckets, type HistogramRange, LEAST_ERROR, quantileOf } from "./buckets.ts";

const RANGES: readonly HistogramRange[] = [
  { from: 0.0001, to: 100, error: 1 / 32 },
  { from: 1, to: 1024, error: 0.5 },
  { from: 1.5, to: 1.6, error: 0.3 },
  { from: 2 ** -1000, to: 2 ** -998, error: LEAST_ERROR },
  { from: 3, to: 2 ** 1000, error: 0.1 },
];

const bits = new BigUint64Array(1);
const double = new Float64Array(bits.buffer);

/** The least double above one that is more than 0. */
function above(value: number): number {
  double[0] = value;
  bits[0]! += 1n;
  return double[0]!;
}

describe("buckets", () => {
  for (const range of RANGES) {
    const { from, to, error } = range;
    const buckets = new Buckets(range);
    const bounds = Array.from({ length: buckets.count - 1 }, (_, index) => buckets.boundOf(index));

    it(`from ${from} to ${to}: end with their bounds, to the last bit`, () => {
      assert.equal(buckets.boundOf(buckets.count - 1), Number.POSITIVE_INFINITY);
      for (const [index, bound] of bounds.entries()) {
        assert.equal(buckets.indexOf(bound), index);
        assert.equal(buckets.indexOf(above(bound)), index + 1);
      }
      for (const least of [0, -0, Number.MIN_VALUE]) assert.equal(buckets.indexOf(least), 0);
      assert.equal(buckets.indexOf(Number.MAX_VALUE), buckets.count - 1);
    });

    it(`from ${from} to ${to}: are as many as ${error} needs, and cover the range`, () => {
      assert.ok(bounds[0]! < from && 2 * bounds[0]! >= from);
      assert.ok(bounds.at(-1)! >= to && bounds.at(-1)! / 2 < to);
      const errors = bounds.slice(1).map((bound, index) => (bound - bounds[index]!) / 2 / bounds[index]!);
      const widest = Math.max(...errors);
      assert.ok(widest <= error, `${widest}`);
      assert.ok(widest * 2 > error, `${widest} is half of what may be`);
    });

    it(`from ${from} to ${to}: have ends of octaves that double`, () => {
      const ends = buckets.ends().map((index) => buckets.boundOf(index));
      assert.equal(ends[0], bounds[0]);
      assert.equal(ends.at(-1), bounds.at(-1));
      for (const [octave, end] of ends.slice(1).entries()) assert.equal(end, 2 * ends[octave]!);
    });
  }

  it("keep the units of many values, but for one", () => {
    const buckets = new Buckets({ from: 1, to: 8, error: 0.5 });
    let [units, sum] = [0, 0];
    for (let count = 1; count <= 10_000; count++) {
      const value = 1 / count + (count % 3);
      units += buckets.unitsOf(value);
      sum += value;
    }
    assert.ok(Math.abs(units * buckets.unit - sum) <= buckets.unit);
  });
});

describe("a quantile", () => {
  const buckets = new Buckets({ from: 1, to: 4, error: 0.25 });
  const of = (values: readonly number[], q: number) => {
    const counts = new Array<number>(buckets.count).fill(0);
    for (const value of values) counts[buckets.indexOf(value)]!++;
    return quantileOf(buckets, counts, q);
  };

  it("is the middle of its bucket, by the nearest rank", () => {
    const values = [1.2, 1.7, 2.5, 3.5];
    assert.deepEqual(
      [0, 0.25, 0.26, 0.5, 0.75, 0.76, 1].map((q) => of(values, q)),
      [1.25, 1.25, 1.75, 1.75, 2.5, 3.5, 3.5],
    );
  });

  it("is half the lowest bound below the range, Infinity beyond it, and NaN of nothing", () => {
    assert.equal(of([0, 0.3, 5], 0.5), 0.25);
    assert.equal(of([0, 0.3, 5], 1), Number.POSITIVE_INFINITY);
    assert.ok(Number.isNaN(of([], 0.5)));
    for (const q of [-0.1, 1.1, Number.NaN]) assert.throws(() => of([1], q), RangeError);
  });
});
