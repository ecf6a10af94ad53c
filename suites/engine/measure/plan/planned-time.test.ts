import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { PlannedTime } from "./planned-time.ts";

describe("planned time", () => {
  let nowMs = 0;
  let leftMs: number | undefined;
  const lines: [share: number, leftMs: number | undefined, what: string][] = [];
  const observer = {
    progress: (share: number, left: number | undefined, what: string) => lines.push([share, left, what]),
  };
  beforeEach(() => {
    nowMs = 1_000;
    lines.length = 0;
    mock.method(performance, "now", () => nowMs);
  });
  afterEach(() => mock.restoreAll());

  it("says nothing of time while it knows none", () => {
    leftMs = undefined;
    const clock = new PlannedTime(observer, () => leftMs);
    clock.begin(4_000, "a").within(0.5);
    assert.deepEqual(lines, [
      [0, undefined, "a"],
      [0, undefined, "a"],
    ]);
  });

  it("shows what is left, less what is done of all that is in progress, as a part of what that and the past come to", () => {
    leftMs = 10_000;
    const clock = new PlannedTime(observer, () => leftMs);
    const [one, other] = [clock.begin(4_000, "a"), clock.begin(2_000, "b")];
    nowMs += 7_000;
    one.within(0.5);
    other.within(0.5, "b, later");
    one.end();
    leftMs = 6_000;
    clock.begin(2_000, "c");
    assert.deepEqual(lines, [
      [0, 10_000, "a"],
      [0, 10_000, "b"],
      [7 / 15, 8_000, "a"],
      [0.5, 7_000, "b, later"],
      [7 / 12, 5_000, "c"],
    ]);
    assert.equal(clock.elapsedMs, 7_000);
  });
});
