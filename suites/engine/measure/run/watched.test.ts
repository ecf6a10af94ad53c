import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { watchFork } from "./watched.ts";

describe("a fork that is watched", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  /** What is reported of a fork after this time, with a part of it done by then. */
  const reportedAfter = (ms: number, plannedMs: number, expectedMs: number, share?: number) => {
    const reports: number[] = [];
    const watch = watchFork({ plannedMs, expectedMs }, (times) => reports.push(times));
    if (share !== undefined) watch.within(share);
    mock.timers.tick(ms);
    watch.end();
    mock.timers.tick(1e6);
    return reports;
  };

  it("is reported while it runs, once, when it takes twice as long and some seconds more", () => {
    assert.deepEqual(reportedAfter(19_999, 10_000, 10_000), []);
    assert.deepEqual(reportedAfter(60_000, 10_000, 10_000), [2]);
    // It would not be noticed that a short one takes twice as long.
    assert.deepEqual(reportedAfter(5_999, 1_000, 1_000), []);
    assert.deepEqual(reportedAfter(6_000, 1_000, 1_000), [6]);
  });

  it("is reported with how long it will take, as far as can be seen from what is done", () => {
    assert.deepEqual(reportedAfter(20_000, 10_000, 10_000, 0.25), [8]);
  });

  it("is not reported where the whole run goes slowly, as was reported already", () => {
    assert.deepEqual(reportedAfter(20_000, 10_000, 40_000), []);
    assert.deepEqual(reportedAfter(80_000, 10_000, 40_000), [8]);
  });
});
