import assert from "node:assert/strict";
import { describe, it } from "node:test";
import sortedArrays from "../../structures/ownership/competitors/sorted-arrays.ts";
import { CONFLICT, type Range } from "../../structures/ownership/ownership.contract.ts";
import { MINUTE_MS } from "./faults.ts";
import { COMMON_LONG_SHARE } from "./fleet.ts";
import { overlapsIn, overlapsOf } from "./overlaps.ts";

const of = (...ranges: [owner: number, start: number, end: number][]) => ({
  rangesOf: () => ranges.map(([owner, start, end]): Range => ({ owner, start, end })),
});

describe("ranges that overlap", () => {
  it("are the ranges that begin before an earlier one ends, the next one or any", () => {
    assert.equal(overlapsIn(of([1, 0, 10], [2, 10, 20]), 1).overlapping, 0);
    assert.equal(overlapsIn(of([1, 0, 10], [2, 9, 20]), 1).overlapping, 1);
    assert.equal(overlapsIn(of([1, 0, 30], [2, 9, 20], [3, 25, 40]), 1).overlapping, 2);
    assert.equal(overlapsIn(of([1, 0, 10], [2, 9, 20]), 3).overlapping, 3);
  });

  it("stand beside the share of the known time that several claim", () => {
    assert.equal(overlapsIn(of([1, 0, 10], [CONFLICT, 10, 20], [2, 30, 50]), 1).conflicting, 25);
    assert.equal(overlapsIn(of(), 1).conflicting, 0);
  });

  it("are none of a map of evidence, which knows a conflict where clocks are wrong and none where they are right", () => {
    const fleet = {
      ...{ resources: 20, owners: 8, horizonMs: 6 * MINUTE_MS },
      ...{ ownershipMsMean: MINUTE_MS, longShare: COMMON_LONG_SHARE },
    };
    const { right, wrong } = overlapsOf(sortedArrays, { fleet, skewMsMost: 10_000 }, 1);
    assert.deepEqual(right, { overlapping: 0, conflicting: 0 });
    assert.equal(wrong.overlapping, 0);
    assert.ok(wrong.conflicting > 0);
  });
});
