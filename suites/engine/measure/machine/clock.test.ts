import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedClock } from "./clock.ts";

describe("the clock of a race", () => {
  const pageClock = (startedMs: number, sinceMs: number) => ({ timeOrigin: startedMs, now: () => sinceMs });

  it("is hrtime where all threads have the same", () => {
    const nowNs = sharedClock(false, pageClock(Date.UTC(2026, 10, 22), 1));
    const before = Number(process.hrtime.bigint());
    const now = nowNs();
    assert.ok(before <= now && now <= Number(process.hrtime.bigint()));
  });

  it("is the same in two threads where hrtime began with each", () => {
    const startedMs = Date.UTC(2026, 10, 22);
    const first = sharedClock(true, pageClock(startedMs, 5_000.25));
    const second = sharedClock(true, pageClock(startedMs + 5_000, 0.25));
    assert.equal(first(), second());
  });

  it("still distinguishes eight nanoseconds there", () => {
    let sinceMs = 1_000;
    const nowNs = sharedClock(true, { timeOrigin: Date.UTC(2026, 10, 22), now: () => sinceMs });
    const before = nowNs();
    sinceMs += 8e-6;
    assert.ok(nowNs() - before > 0 && nowNs() - before <= 16, `${nowNs() - before}`);
  });
});
