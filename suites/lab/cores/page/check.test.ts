import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cellOf, recordOf } from "../record.synthetic.ts";
import { comparedAt, hasFigure, rankCorrelation, rankCorrelations, summaryOf } from "./check.ts";

/** Simulated over measured, by hand: 1.1, 0.5, 1.2, and 1 where fitted. */
const record = recordOf([
  cellOf("fitted", { nsPerOperation: 40, measuredNs: 40 }),
  cellOf("near", { nsPerOperation: 22, measuredNs: 20 }),
  cellOf("far", { nsPerOperation: 30, measuredNs: 60 }),
  cellOf("further", { nsPerOperation: 60, measuredNs: 50 }),
  cellOf("unmeasured", { nsPerOperation: 10 }),
  cellOf("broken", { nsPerOperation: 10, measuredNs: 10, broken: "a law: broken" }),
]);

describe("what was simulated beside what was measured", () => {
  const compared = comparedAt(record, 2);

  it("leaves out what has no measured figure and what broke a law", () => {
    assert.deepEqual(
      compared.map(({ competitor, ratio }) => [competitor, ratio]),
      [
        ["fitted", 1],
        ["near", 1.1],
        ["far", 0.5],
        ["further", 1.2],
      ],
    );
    assert.deepEqual(comparedAt(record, 4), []);
  });

  it("counts errors and misses of what was not fitted", () => {
    const { counted, medianErrorPercent, shareWithin } = summaryOf(compared);
    assert.equal(counted, 3);
    assert.equal(medianErrorPercent.toFixed(6), "20.000000");
    assert.equal(shareWithin, 2 / 3);
  });

  it("has no error where nothing counts", () => {
    const { counted, medianErrorPercent, shareWithin } = summaryOf(compared.slice(0, 1));
    assert.deepEqual([counted, medianErrorPercent, shareWithin], [0, Number.NaN, Number.NaN]);
  });

  it("compares ranks by scenario: here 22, 30, 60 with 20, 60, 50", () => {
    assert.deepEqual([...rankCorrelations(compared)], [["pick/uniform-8", 0.5]]);
  });
});

describe("Spearman's coefficient", () => {
  it("is 1 and -1 for the same order and the reverse, however far the values lie apart", () => {
    assert.equal(rankCorrelation([1, 2, 300], [5, 7, 8]), 1);
    assert.equal(rankCorrelation([1, 2, 300], [8, 7, 5]), -1);
  });

  it("is 1 - 6 d^2 / (n (n^2 - 1)) without ties: d^2 = 1 + 1 + 1 + 1 of 5 gives 0.8", () => {
    assert.equal(rankCorrelation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]), 0.8);
  });

  it("gives equal values the mean of their ranks: 1.5, 1.5, 3 with 1, 2, 3 is the root of 3 / 4", () => {
    assert.equal(rankCorrelation([7, 7, 9], [1, 2, 3]).toFixed(12), Math.sqrt(3 / 4).toFixed(12));
  });
});

describe("a figure beyond two workers", () => {
  const figures = (competitor: string, workers: number) =>
    hasFigure(record, cellOf(competitor, { nsPerOperation: 10, workers, machine: "server" }));

  it("is shown of what comes within 1.5 at two workers, fitted or not", () => {
    assert.equal(figures("near", 64), true);
    assert.equal(figures("fitted", 64), true);
  });

  it("is not shown of what misses by more, in either direction, or was not measured there", () => {
    assert.equal(figures("far", 64), false);
    assert.equal(figures("unmeasured", 64), false);
    assert.equal(figures("broken", 64), false);
    assert.equal(figures("far", 2), true);
  });

  it("is never shown of a cell that broke a law", () => {
    const broken = cellOf("near", { nsPerOperation: 10, workers: 1, broken: "a law: broken" });
    assert.equal(hasFigure(record, broken), false);
  });
});
