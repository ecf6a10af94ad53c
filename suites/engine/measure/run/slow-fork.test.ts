import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { watchFork } from "./slow-fork.ts";

describe("a fork that is watched", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  /** What is told of a fork after so long, of which a part is done by then. */
  const toldAfter = (ms: number, plannedMs: number, expectedMs: number, share?: number) => {
    const told: number[] = [];
    const watch = watchFork({ plannedMs, expectedMs }, (times) => told.push(times));
    if (share !== undefined) watch.within(share);
    mock.timers.tick(ms);
    watch.end();
    mock.timers.tick(1e6);
    return told;
  };

  it("is told of while it runs, once, when it takes twice as long and some seconds more", () => {
    assert.deepEqual(toldAfter(19_999, 10_000, 10_000), []);
    assert.deepEqual(toldAfter(60_000, 10_000, 10_000), [2]);
    // Of a short one nobody would notice that it takes twice as long.
    assert.deepEqual(toldAfter(5_999, 1_000, 1_000), []);
    assert.deepEqual(toldAfter(6_000, 1_000, 1_000), [6]);
  });

  it("is told of with how long it will take, as far as can be seen from what is done", () => {
    assert.deepEqual(toldAfter(20_000, 10_000, 10_000, 0.25), [8]);
  });

  it("is not told of where the whole run goes slowly, as was told already", () => {
    assert.deepEqual(toldAfter(20_000, 10_000, 40_000), []);
    assert.deepEqual(toldAfter(80_000, 10_000, 40_000), [8]);
  });
});
