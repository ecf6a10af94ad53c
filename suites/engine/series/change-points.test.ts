import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gaussian } from "../judge/judge.synthetic.ts";
import { Random } from "../words/random.ts";
import { type ChangePointOptions, ChangePointSearch, changePoints } from "./change-points.ts";

describe("change points of published examples", () => {
  const examples: readonly {
    readonly source: string;
    readonly values: readonly number[];
    readonly options?: ChangePointOptions;
    readonly expected: readonly number[];
  }[] = [
    {
      source: "Otava, tests/series_test.py, series1",
      values: [1.02, 0.95, 0.99, 1.0, 1.12, 0.9, 0.5, 0.51, 0.48, 0.48, 0.55],
      expected: [6],
    },
    {
      source: "Otava, tests/series_test.py, series2",
      values: [2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.8, 1.76, 1.78],
      expected: [4],
    },
    {
      source: "Otava, tests/series_test.py, series2 with its last two values appended",
      values: [2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.8, 1.76, 1.78, 1.97, 33.33, 46.46],
      expected: [4, 12],
    },
    {
      source: "Otava, tests/analysis_test.py",
      values: [
        1.02, 0.95, 0.99, 1.0, 1.12, 1.0, 1.01, 0.98, 1.01, 0.96, 0.5, 0.51, 0.48, 0.48, 0.55, 0.5, 0.49,
        0.51, 0.5, 0.49,
      ],
      options: { windowLength: 10, maxP: 0.0001 },
      expected: [10],
    },
    {
      source: "Otava, tests/change_point_divisive_test.py",
      values: [0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149, 149.7, 149.5, 149.1, 148.8, 150],
      options: { maxP: 0.01 },
      expected: [5, 8],
    },
    {
      source: "signal-processing-algorithms, tests/test_detection.py, random-ish data",
      values: [
        41, 18, 23, 3, 32, 11, 40, 13, 29, 48, 47, 35, 18, 21, 6, 2, 23, 3, 4, 7, 120, 103, 102, 81, 71, 62,
        115, 61, 108, 63, 70, 98, 65, 96, 64, 74, 70, 113, 90, 114, 208, 196, 153, 150, 225, 179, 206, 165,
        177, 151, 218, 217, 244, 245, 229, 195, 225, 229, 176, 250,
      ],
      // They ask for 0.01 by permutations; t, whose p is nominal, then sees two more steps within.
      options: { maxP: 0.001 },
      expected: [20, 40],
    },
    {
      source: "signal-processing-algorithms, tests/test_e_divisive.py, absolute certainty",
      values: [...level(0, 1000), ...level(1, 1000)],
      expected: [1000],
    },
    {
      source: "signal-processing-algorithms, tests/test_e_divisive.py, the multivariate one in one dimension",
      values: [...level(0, 100), ...level(1, 100), ...level(20, 100)],
      expected: [100, 200],
    },
  ];
  for (const { source, values, options, expected } of examples) {
    it(source, () => assert.deepEqual(indexes(values, options), expected));
  }
});

describe("change points", () => {
  it("are none in a constant series, whose sums are not exact", () => {
    assert.deepEqual(changePoints(level(0.1, 333)), []);
  });

  it("have the medians of the levels on both sides, up to their neighbours", () => {
    const values = [...noisy(1, 0, 40), ...noisy(2, 3, 60), ...noisy(3, 1, 50)].map((value) => value / 100);
    const [up, down, ...more] = changePoints(values);
    assert.deepEqual(more, []);
    assert.ok(
      Math.abs(up!.index - 40) <= 2 && Math.abs(down!.index - 100) <= 2,
      `${up!.index} ${down!.index}`,
    );
    assert.ok(Math.abs(up!.before) < 0.005 && Math.abs(up!.after - 0.03) < 0.005);
    assert.equal(down!.before, up!.after);
    assert.ok(Math.abs(down!.after - 0.01) < 0.005);
    assert.ok(up!.p < 0.001 && down!.p < 0.001);
  });

  it("find a change that is taken back, which vanishes in the average of a long series", () => {
    const values = [...level(0, 150), ...level(1, 6), ...level(0, 150)].map(
      (value, at) => value + 0.1 * noisy(4, 0, 306)[at]!,
    );
    assert.deepEqual(indexes(values), [150, 156]);
  });

  it("see a drift as steps in its direction", () => {
    const changes = changePoints(noisy(5, 0, 200).map((value, at) => value + at / 10));
    assert.ok(changes.length >= 2, `${changes.length}`);
    for (const { before, after } of changes) assert.ok(after > before);
  });

  it("are none where one value is an outlier, wherever it stands but at the very end", () => {
    for (let place = 0; place < 59; place++) {
      const values = noisy(6, 0, 60).map((value, at) => value + (at === place ? 30 : 0));
      assert.deepEqual(indexes(values), [], `at ${place}`);
      assert.deepEqual(indexes(level(0.1, 60).with(place, 9)), [], `at ${place} of a constant series`);
    }
  });

  it("include an outlying last value, which may be the first of a new level, until the next night knows", () => {
    const values = [...noisy(6, 0, 60), 30];
    assert.deepEqual(indexes(values), [60]);
    assert.deepEqual(indexes([...values, 0]), []);
    assert.deepEqual(indexes([...values, 30]), [60]);
  });

  it("do not depend on the unit or the sign of the values", () => {
    const values = [...noisy(7, 0, 70), ...noisy(8, 4, 30)];
    const expected = indexes(values);
    assert.equal(expected.length, 1);
    assert.deepEqual(indexes(values.map((value) => -1024 * value)), expected);
  });

  it("are the same of the same values, however they came", () => {
    const values = Array.from({ length: 6 }, (_, at) => noisy(at, at % 2 === 0 ? 0 : 2, 45)).flat();
    const search = new ChangePointSearch();
    for (const [at, value] of values.entries()) {
      search.add(value);
      assert.deepEqual(
        search.splits().map(({ index }) => index),
        indexes(values.slice(0, at + 1)),
      );
    }
    assert.deepEqual(changePoints(values), changePoints([...values]));
  });

  it("are found in a series shorter than the window, and none in one of fewer than four values", () => {
    assert.deepEqual(indexes([0, 0, 0, 1, 1, 1], { windowLength: 500 }), [3]);
    for (const values of [[], [1], [1, 2], [0, 0, 9]]) assert.deepEqual(changePoints(values), []);
  });

  it("are the fewer the smaller the largest p", () => {
    const values = noisy(9, 0, 400);
    const counts = [0.2, 0.01, 0.001, 1e-6].map((maxP) => changePoints(values, { maxP }).length);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => b - a),
    );
    assert.ok(counts[0]! > counts[3]!, `${counts}`);
  });

  it("refuse a value that is not finite, and an invalid window and p", () => {
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1e200])
      assert.throws(() => changePoints([1, 2, wrong, 4, 5]), /^RangeError: value 2 is/);
    assert.throws(() => changePoints([1], { windowLength: 3 }), /^RangeError: windowLength is 3/);
    assert.throws(() => changePoints([1], { maxP: 0 }), /^RangeError: maxP is 0/);
  });
});

function indexes(values: readonly number[], options?: ChangePointOptions): number[] {
  return changePoints(values, options).map(({ index }) => index);
}

function level(value: number, length: number): number[] {
  return new Array<number>(length).fill(value);
}

function noisy(seed: number, middle: number, length: number): number[] {
  const random = new Random(seed);
  return Array.from({ length }, () => middle + gaussian(random));
}
