import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { PlannedTime } from "./planned-time.ts";

describe("planned time", () => {
  let nowMs = 0;
  const told: [share: number, leftMs: number, what: string][] = [];
  const observer = {
    progress: (share: number, leftMs: number, what: string) => told.push([share, leftMs, what]),
  };
  beforeEach(() => {
    nowMs = 1_000;
    told.length = 0;
    mock.method(performance, "now", () => nowMs);
  });
  afterEach(() => mock.restoreAll());

  it("goes on as it went so far", () => {
    const clock = new PlannedTime(10_000, observer);
    const stretch = clock.begin(4_000, "a");
    nowMs += 3_000;
    stretch.within(0.5);
    // 2 s of 10 were done in 3 s, so that the other 8 take 12.
    assert.deepEqual(told, [
      [0, 10_000, "a"],
      [0.2, 12_000, "a"],
    ]);
  });

  it("begins anew with what is known by then, what is done counting as what it took", () => {
    const clock = new PlannedTime(10_000, observer);
    clock.begin(4_000, "a").end();
    nowMs += 6_000;
    clock.replan(18_000);
    const stretch = clock.begin(9_000, "b");
    nowMs += 9_000;
    stretch.within(1);
    assert.deepEqual(told.slice(1), [
      [0.25, 18_000, "b"],
      [0.625, 9_000, "b"],
    ]);
  });
});
