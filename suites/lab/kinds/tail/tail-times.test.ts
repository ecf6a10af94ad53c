import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergedTimes, newTimes, tailFigures, timeBeyond } from "./tail-times.ts";

/** A time in ns for each whole number up to `count`. */
function rising(count: number) {
  const times = newTimes();
  for (let ns = 1; ns <= count; ns++) times.record(ns);
  return times;
}

/** A histogram keeps three digits. */
function isAbout(ns: number | undefined, expected: number): void {
  assert.ok(ns !== undefined && Math.abs(ns / expected - 1) < 2e-3, `${ns}, not ${expected}`);
}

describe("times of single operations", () => {
  it("of several workers are merged: a percentile is of all operations, not of workers", () => {
    const [quick, slow] = [newTimes(), newTimes()];
    for (let count = 0; count < 980; count++) quick.record(100);
    for (let count = 0; count < 20; count++) slow.record(50_000);
    const merged = mergedTimes([quick, slow]);
    assert.equal(merged.count, 1000);
    assert.equal(timeBeyond(merged, 0.5), 100);
    isAbout(timeBeyond(merged, 0.01), 50_000);
    assert.equal(quick.count, 980);
  });

  it("have no percentile with fewer than ten operations beyond it", () => {
    isAbout(timeBeyond(rising(10_000), 0.001), 9_990);
    assert.equal(timeBeyond(rising(9_999), 0.001), undefined);
    isAbout(timeBeyond(rising(9_999), 0.01), 9_900);
    const { p999, p99, max } = tailFigures({
      response: rising(9_999),
      service: rising(9_999),
      empty: rising(9_999),
    });
    assert.equal(p999, undefined);
    isAbout(p99! * 1000, 9_900);
    isAbout(max! * 1000, 9_999);
  });

  it("say how many operations were given up", () => {
    const { unserved, operations } = tailFigures({
      response: rising(1000),
      service: rising(250),
      empty: rising(1000),
    });
    assert.equal(unserved, 75);
    assert.equal(operations, 1000);
  });
});
