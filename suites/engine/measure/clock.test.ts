import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedClock } from "./clock.ts";

const HOUR_NS = 3_600_000_000_000n;

describe("the clock of a race", () => {
  const pageClock = (startedMs: number, sinceMs: number) => ({ timeOrigin: startedMs, now: () => sinceMs });

  it("is hrtime where all threads have the same", () => {
    const nowNs = sharedClock(
      { readNs: () => HOUR_NS, beganWithThread: () => false },
      pageClock(Date.UTC(2026, 10, 22), 1),
    );
    assert.equal(nowNs(), Number(HOUR_NS));
  });

  it("is the same in two threads where hrtime began with each", () => {
    const begunWithThread = { readNs: () => 0n, beganWithThread: () => true };
    const startedMs = Date.UTC(2026, 10, 22);
    const first = sharedClock(begunWithThread, pageClock(startedMs, 5_000.25));
    const second = sharedClock(begunWithThread, pageClock(startedMs + 5_000, 0.25));
    assert.equal(first(), second());
  });

  it("still tells eight nanoseconds there", () => {
    let sinceMs = 1_000;
    const nowNs = sharedClock(
      { readNs: () => 0n, beganWithThread: () => true },
      { timeOrigin: Date.UTC(2026, 10, 22), now: () => sinceMs },
    );
    const before = nowNs();
    sinceMs += 8e-6;
    assert.ok(nowNs() - before > 0 && nowNs() - before <= 16, `${nowNs() - before}`);
  });
});
