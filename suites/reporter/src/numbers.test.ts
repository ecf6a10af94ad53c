import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { golden } from "../../engine/golden.trials.ts";
import {
  formatNumber,
  formatPercent,
  formatRatio,
  formatShare,
  formatThroughput,
  isIntervalKnown,
} from "./numbers.ts";

const WRONG = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** What each prints of these, or how it refuses one. */
const PRINTED: readonly (readonly [
  print: (...values: never[]) => string,
  values: readonly (readonly number[])[],
])[] = [
  [
    formatNumber,
    [
      ...[0, -0, 4, 0.38, 26.52, 26.5249, 1234, 12_345.6, -1234.56, -0.000012345678, 1e-10, 1e21],
      // Rounded up into one more digit, it loses a decimal.
      ...[999.94, 999.95, 9999.5, 99.996, 0.99996, ...WRONG],
    ].map((value) => [value]),
  ],
  [
    function formatTo(value: number) {
      return formatNumber(value, 3);
    },
    [[99.96], [26.52]],
  ],
  [
    formatThroughput,
    [
      ...[
        0,
        0.384,
        1e-7,
        999.4,
        999.5,
        1234,
        999_499,
        999_950,
        38_123_456,
        1e9,
        2.5e12,
        1.234e15,
        -1,
        ...WRONG,
      ],
    ].map((value) => [value]),
  ],
  [formatShare, [1, 0.994, 0.996, -0.001, ...WRONG].map((value) => [value])],
  [formatPercent, [0, 0.1234, 0.99996, -0.5, 12.34, ...WRONG].map((value) => [value])],
  [
    function ratio(value: number, low: number, high: number) {
      return formatRatio({ value, low, high });
    },
    [
      [0.38, 0.37, 0.39],
      [0.4, 0.3751, 0.42],
      [1, 0.99, 1.01],
      [0.0381, 0.0371, 0.0391],
      [26.52, 9.04, 31.96],
      [1234.4, 998.7, 1500],
      [0, 0, 0.001],
      // An interval that is not known, or that has 1 in it and ends over a hundred times apart.
      [0.381, 0, Number.POSITIVE_INFINITY],
      [113, 0, 4e22],
      [1, 0.099, 10],
      [1, 0.1, 10],
      // It is over twice as much, and over twice as little, whatever the other end.
      [62.6, 2.5, 1500],
      [0.016, 0.0001, 0.4],
      // Decimals are chosen after rounding.
      ...[0.0994, 0.0996, 0.996, 9.994, 9.995, 9.996, 99.96].map((value) => [value, 0, 0]),
      ...WRONG.flatMap((value) => [
        [value, 0, 1],
        [1, value, 1],
        [value, 0, Number.POSITIVE_INFINITY],
      ]),
      [1, 0, Number.NaN],
      [1, -1, 1],
      [1, 2, 1],
    ],
  ],
];

function saidOf(print: (...values: never[]) => string, values: readonly number[]): string {
  try {
    return print(...(values as never[]));
  } catch (error) {
    return String(error);
  }
}

test("numbers as tables print them", (t) => {
  const lines = PRINTED.flatMap(([print, calls]) =>
    calls.map((values) => `${print.name}(${values.join(", ")})  ${saidOf(print, values)}`),
  );
  golden(t, "../testdata/numbers.txt", `${lines.join("\n")}\n`);
});

test("the least ratio has as many decimals as there can be, and an open interval is not known", () => {
  assert.equal(formatRatio({ value: 5e-324, low: 0, high: 0 }).split(" ")[0]?.length, "0.".length + 100);
  assert.equal(isIntervalKnown({ low: 2.5, high: Number.POSITIVE_INFINITY }), false);
});

test("a printed number has no exponent and is within half a unit of the last digit", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), fc.constantFrom(3, 4), (value, digits) => {
      const text = formatNumber(value, digits as 3 | 4);
      assert.match(text, /^-?\d{1,3}(,\d{3})*(\.\d+)?$/);
      const error = Math.abs(Number(text.replaceAll(",", "")) - value);
      assert.ok(error <= 0.5000001 * 10 ** (1 - digits) * Math.abs(value), `${value} became ${text}`);
    }),
  );
});
