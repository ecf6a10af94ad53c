import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  formatNumber,
  formatPercent,
  formatRatio,
  formatShare,
  formatThroughput,
  isIntervalKnown,
} from "./numbers.ts";

const NOT_FINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** Reads a printed number back. */
function parse(text: string): number {
  return Number(text.replaceAll(",", ""));
}

test("a number keeps four significant digits and all digits before the point", () => {
  const expected: [number, string][] = [
    [0, "0"],
    [-0, "0"],
    [4, "4"],
    [0.38, "0.38"],
    [26.52, "26.52"],
    [26.5249, "26.52"],
    [1234, "1,234"],
    [12_345.6, "12,346"],
    [-1234.56, "-1,235"],
    [-0.000012345678, "-0.00001235"],
    [1e-10, "0.0000000001"],
    [1e21, "1,000,000,000,000,000,000,000"],
  ];
  for (const [value, text] of expected) assert.equal(formatNumber(value), text);
});

test("a number that rounds up into one more digit loses a decimal instead of gaining a digit", () => {
  assert.equal(formatNumber(999.94), "999.9");
  assert.equal(formatNumber(999.95), "1,000");
  assert.equal(formatNumber(9999.5), "10,000");
  assert.equal(formatNumber(99.996), "100");
  assert.equal(formatNumber(0.99996), "1");
  assert.equal(formatNumber(99.96, 3), "100");
  assert.equal(formatNumber(26.52, 3), "26.5");
});

test("a printed number has no exponent and is within half a unit of the last digit", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), fc.constantFrom(3, 4), (value, digits) => {
      const text = formatNumber(value, digits as 3 | 4);
      assert.match(text, /^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      const error = Math.abs(parse(text) - value);
      assert.ok(error <= 0.5000001 * 10 ** (1 - digits) * Math.abs(value), `${value} became ${text}`);
    }),
  );
});

test("throughput takes the prefix that fits after rounding", () => {
  const expected: [number, string][] = [
    [0, "0 /s"],
    [0.384, "0.384 /s"],
    [1e-7, "0.0000001 /s"],
    [999.4, "999 /s"],
    [999.5, "1 k/s"],
    [1234, "1.23 k/s"],
    [999_499, "999 k/s"],
    [999_950, "1 M/s"],
    [38_123_456, "38.1 M/s"],
    [1e9, "1 G/s"],
    [2.5e12, "2.5 T/s"],
    [1.234e15, "1,230 T/s"],
  ];
  for (const [value, text] of expected) assert.equal(formatThroughput(value), text);
});

test("a ratio and its bounds share their decimals", () => {
  const ratio = (value: number, low: number, high: number) => formatRatio({ value, low, high });
  assert.equal(ratio(0.38, 0.37, 0.39), "0.38 (0.37-0.39)");
  assert.equal(ratio(0.4, 0.3751, 0.42), "0.40 (0.38-0.42)");
  assert.equal(ratio(1, 0.99, 1.01), "1.00 (0.99-1.01)");
  assert.equal(ratio(0.0381, 0.0371, 0.0391), "0.038 (0.037-0.039)");
  assert.equal(ratio(26.52, 9.04, 31.96), "26.5 (9.0-32.0)");
  assert.equal(ratio(1234.4, 998.7, 1500), "1,234 (999-1,500)");
  assert.equal(ratio(0, 0, 0.001), "0.00 (0.00-0.00)");
});

test("a ratio whose interval is not known says so", () => {
  assert.equal(formatRatio({ value: 0.381, low: 0, high: Number.POSITIVE_INFINITY }), "0.38 (unknown)");
});

test("a ratio whose interval has 1 in it and ends over a hundred times apart says that it is unknown", () => {
  const ratio = (value: number, low: number, high: number) => formatRatio({ value, low, high });
  assert.equal(ratio(113, 0, 4e22), "113 (unknown)");
  assert.equal(ratio(1, 0.099, 10), "1.00 (unknown)");
  assert.equal(ratio(1, 0.1, 10), "1.00 (0.10-10.00)");
  // It is over twice as much, and over twice as little, whatever the other end.
  assert.equal(ratio(62.6, 2.5, 1500), "62.6 (2.5-1,500.0)");
  assert.equal(ratio(0.016, 0.0001, 0.4), "0.016 (0.000-0.400)");
  assert.equal(isIntervalKnown({ low: 2.5, high: Number.POSITIVE_INFINITY }), false);
});

test("the decimals of a ratio are chosen after rounding", () => {
  const middle = (value: number) => formatRatio({ value, low: 0, high: 0 }).split(" ")[0];
  assert.equal(middle(0.0994), "0.099");
  assert.equal(middle(0.0996), "0.10");
  assert.equal(middle(0.996), "1.00");
  assert.equal(middle(9.994), "9.99");
  assert.equal(middle(9.995), "9.99");
  assert.equal(middle(9.996), "10.0");
  assert.equal(middle(99.96), "100");
  assert.equal(middle(5e-324)?.length, "0.".length + 100);
});

test("shares have two decimals, percents three significant digits", () => {
  assert.equal(formatShare(1), "1.00");
  assert.equal(formatShare(0.994), "0.99");
  assert.equal(formatShare(0.996), "1.00");
  assert.equal(formatShare(-0.001), "0.00");
  assert.equal(formatPercent(0), "0%");
  assert.equal(formatPercent(0.1234), "12.3%");
  assert.equal(formatPercent(0.99996), "100%");
  assert.equal(formatPercent(-0.5), "-50%");
  assert.equal(formatPercent(12.34), "1,234%");
});

test("an invalid number, throughput or interval is refused", () => {
  for (const value of NOT_FINITE) {
    assert.throws(() => formatNumber(value), RangeError);
    assert.throws(() => formatShare(value), RangeError);
    assert.throws(() => formatPercent(value), RangeError);
    assert.throws(() => formatThroughput(value), RangeError);
    assert.throws(() => formatRatio({ value, low: 0, high: 1 }), RangeError);
    assert.throws(() => formatRatio({ value: 1, low: value, high: 1 }), RangeError);
    assert.throws(() => formatRatio({ value, low: 0, high: Number.POSITIVE_INFINITY }), RangeError);
  }
  assert.throws(() => formatRatio({ value: 1, low: 0, high: Number.NaN }), RangeError);
  assert.throws(() => formatThroughput(-1), RangeError("-1 is negative"));
  assert.throws(() => formatRatio({ value: 1, low: -1, high: 1 }), RangeError("-1 is negative"));
  assert.throws(
    () => formatRatio({ value: 1, low: 2, high: 1 }),
    RangeError("interval from 2 to 1 is upside down"),
  );
});
