import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gaussian } from "../../engine/judge/judge.synthetic.ts";
import { Random } from "../../engine/words/random.ts";
import { type ChangePoint, type ChangePointOptions, ChangePointSearch, withLevels } from "./change-points.ts";

function changePoints(values: readonly number[], options?: ChangePointOptions): ChangePoint[] {
  const search = new ChangePointSearch(options);
  for (const value of values) search.add(value);
  return withLevels(values, search.splits());
}

describe("change points of published examples", () => {
  // The sixth source asks for 0.01 by permutations; t, whose p is nominal, then sees two more steps within.
  const file = new URL("testdata/published-examples.json", import.meta.url);
  for (const { source, values, levels = [], options, expected } of JSON.parse(readFileSync(file, "utf8")))
    it(source, () => {
      const all = values ?? levels.flatMap(([value, length]: [number, number]) => level(value, length));
      assert.deepEqual(indexes(all, options), expected);
    });
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
