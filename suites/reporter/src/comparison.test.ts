import assert from "node:assert/strict";
import { test } from "node:test";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { compare, type Estimate, placeOf, spreadOf, studentQuantile } from "./comparison.ts";

function estimate(mean: number, relativeError: number, samples = 1001): Estimate {
  return { value: mean, standardError: mean * relativeError, samples, isNearClock: false };
}

/** To more digits than a table shows, and fewer than rounding moves. */
function rounded(value: number): string {
  return value.toFixed(4);
}

test("quantiles of Student's t match the tables", () => {
  for (const [share, freedom, quantile] of [
    [0.975, 1, 12.706],
    [0.975, 2, 4.303],
    [0.975, 10, 2.228],
    [0.995, 5, 4.032],
    [0.975, 1000, 1.962],
  ] as const) {
    assert.equal(studentQuantile(share, freedom).toFixed(3), quantile.toFixed(3));
  }
  // Rounded down, and never above a thousand.
  assert.equal(studentQuantile(0.975, 2.9), studentQuantile(0.975, 2));
  assert.equal(studentQuantile(0.975, 1e9), studentQuantile(0.975, 1000));
});

test("the spread of samples", () => {
  const { standardDeviation, standardError, marginOfError } = spreadOf([1, 2, 3, 4, 5]);
  assert.equal(rounded(standardDeviation), "1.5811");
  assert.equal(rounded(standardError), "0.7071");
  assert.equal(rounded(marginOfError), "1.9632");
});

test("the interval of a ratio is that of the delta method, as wide to both sides of it on the logarithm", () => {
  const { ratio } = compare(estimate(20, 0.03), estimate(10, 0.04), 1);
  assert.equal(ratio.value, 2);
  // The relative errors add up to 5 %, and Welch's degrees of freedom to 1000 * 25^2 / (9^2 + 16^2), 1854.
  const reach = Math.exp(studentQuantile(0.975, 1854) * 0.05);
  assert.equal(rounded(ratio.high), rounded(2 * reach));
  assert.equal(rounded(ratio.low), rounded(2 / reach));
});

test("few samples make the interval wider, by Welch's degrees of freedom", () => {
  const { ratio } = compare(estimate(10, 0.03, 5), estimate(10, 0.04, 9), 1);
  // (9 + 16)^2 / (9^2 / 4 + 16^2 / 8): 11.96.
  assert.equal(rounded(ratio.high), rounded(Math.exp(studentQuantile(0.975, 11) * 0.05)));
});

test("more pairs make each interval wider", () => {
  const highOf = (pairs: number) => compare(estimate(10, 0.03), estimate(10, 0.04), pairs).ratio.high;
  assert.equal(rounded(highOf(10)), rounded(Math.exp(studentQuantile(1 - 0.05 / 20, 1854) * 0.05)));
  assert.ok(highOf(10) > highOf(1));
});

test("a verdict needs the whole interval beyond 3 %, or within", () => {
  const verdictOf = (mean: number, relativeError: number) =>
    compare(estimate(mean, relativeError), estimate(100, 0.0001), 1).verdict;
  assert.equal(verdictOf(110, 0.01), "slower");
  assert.equal(verdictOf(90, 0.01), "faster");
  assert.equal(verdictOf(101, 0.005), "same");
  assert.equal(verdictOf(104, 0.01), "cannot tell");
  assert.equal(verdictOf(96, 0.01), "cannot tell");
  assert.equal(verdictOf(100, 0.05), "cannot tell");
});

test("where an error is not known there is a ratio, no interval and no verdict", () => {
  const single: Estimate = { value: 10, samples: 1, isNearClock: false };
  const unknown = { ratio: { value: 0.1, low: 0, high: Number.POSITIVE_INFINITY }, verdict: "cannot tell" };
  assert.deepEqual(compare(single, estimate(100, 0.01), 1), unknown);
  assert.deepEqual(compare(estimate(10, 0.01), { ...single, value: 100 }, 1), unknown);
  // All samples alike, or a single one with an error that it cannot have.
  for (const other of [estimate(10, 0), estimate(10, Number.NaN), estimate(10, 0.01, 1)])
    assert.deepEqual(compare(other, estimate(100, 0.01), 1), unknown);
});

test("two benchmarks near the clock's tick cannot be distinguished; one can be from another", () => {
  const near = (mean: number) => ({ ...estimate(mean, 0.001), isNearClock: true });
  assert.equal(compare(near(40), near(60), 1).verdict, "cannot tell");
  assert.equal(compare(near(40), estimate(400, 0.001), 1).verdict, "faster");
});

test("ties share a place", () => {
  const rivals = [estimate(10, 0.001), estimate(10.1, 0.001), estimate(20, 0.001)];
  assert.deepEqual(
    rivals.map((rival) => placeOf(rival, rivals, 3)),
    [1, 1, 3],
  );
});

test("of samples with a long tail the intervals miss as seldom as they should, and equals are called equal or nothing", () => {
  const random = xoroshiro128plus(1);
  const uniform = () => uniformFloat64(random);
  // Lognormal, by Box and Muller: the mean is a good deal above the median, as with times.
  const sample = () =>
    Math.exp(0.5 * Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()));
  const drawn = (count: number): Estimate => {
    const samples = Array.from({ length: count }, sample);
    const value = samples.reduce((sum, each) => sum + each, 0) / count;
    return { value, standardError: spreadOf(samples).standardError, samples: count, isNearClock: false };
  };
  const comparisons = Array.from({ length: 1000 }, () => compare(drawn(100), drawn(400), 1));
  const missed = comparisons.filter(({ ratio }) => ratio.low > 1 || ratio.high < 1).length;
  const wrong = comparisons.filter(({ verdict }) => verdict === "faster" || verdict === "slower").length;
  // Of 1000 at 95 %, 50 and three standard deviations of 7.
  assert.ok(missed > 28 && missed < 72, `${missed}`);
  assert.ok(wrong < missed, `${wrong}`);
});
