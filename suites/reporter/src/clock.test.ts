import assert from "node:assert/strict";
import { test } from "node:test";
import { measureClockTick } from "./clock.ts";

test("the tick is the least that two readings differ by, not counting equal readings", () => {
  const steps = [0, 3, 2, 5];
  let reading = 0;
  let nowMs = 0;
  const now = () => {
    nowMs += steps[reading % steps.length]!;
    reading += 1;
    return nowMs;
  };
  // Every second step is between two pairs.
  assert.equal(measureClockTick(now), 3e6);
});

test("this machine's clock has a tick", () => {
  assert.ok(measureClockTick() > 0);
});

test("a clock that stands still has none", () => {
  assert.throws(
    () => measureClockTick(() => 7),
    /^Error: the clock stood still for 20000 pairs of readings$/,
  );
});
