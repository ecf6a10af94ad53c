import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ArrivalSchedule, longestMs, serveArrivals } from "./arrivals.ts";

const INTERVAL_MS = 10;
const COUNT = 100;
const SERVICE_MS = 1;
/** The operation that takes as long as ten intervals. */
const STALLED = 20;
const STALL_MS = 10 * INTERVAL_MS;
const MS = 1e6;

class Kept {
  readonly ns: number[] = [];

  record(ns: number): void {
    this.ns.push(ns);
  }
}

/** Serves a schedule by a clock that moves as operations and readings move it. */
function serve(serviceMs: (operation: number) => number, schedule: Partial<ArrivalSchedule> = {}) {
  let nowMs = 0;
  let operation = 0;
  let settled = 0;
  const begunMs: number[] = [];
  const times = { response: new Kept(), service: new Kept() };
  const operations = serveArrivals(
    { firstMs: 5, intervalMs: INTERVAL_MS, count: COUNT, phase: () => 0, ...schedule },
    () => {
      begunMs.push(nowMs);
      nowMs += serviceMs(operation++);
    },
    () => settled++,
    {
      nowMs: () => nowMs,
      waitUntil(ms) {
        nowMs = Math.max(nowMs, ms);
        return nowMs;
      },
    },
    times,
  );
  return { operations, settled, begunMs, response: times.response.ns, service: times.service.ns };
}

const stalling = (operation: number) => (operation === STALLED ? STALL_MS : SERVICE_MS);

describe("operations on a schedule", () => {
  it("begin when they are due, each in its interval", () => {
    const { operations, settled, begunMs, response } = serve(() => SERVICE_MS, { phase: () => 0.5 });
    assert.equal(operations, COUNT);
    assert.equal(settled, COUNT);
    for (const [arrival, ms] of begunMs.entries()) {
      assert.equal(ms.toFixed(1), (5 + (arrival + 0.5) * INTERVAL_MS).toFixed(1));
    }
    assert.ok(response.every((ns) => Math.abs(ns - SERVICE_MS * MS) < 0.01 * MS));
  });

  it("are late behind one that stalls, each less than the one before, and none is left out", () => {
    const { operations, response } = serve(stalling);
    assert.equal(operations, COUNT);
    assert.equal(response.length, COUNT);
    const late = response.flatMap((ns, arrival) => (ns > 2 * SERVICE_MS * MS ? [arrival] : []));
    // Each later one makes up for an interval less its own time.
    assert.deepEqual(
      late,
      Array.from({ length: 11 }, (_, behind) => STALLED + behind),
    );
    for (const arrival of late.slice(1)) assert.ok(response[arrival]! < response[arrival - 1]!);
    assert.ok(Math.abs(response[STALLED + 1]! - (STALL_MS - INTERVAL_MS + SERVICE_MS) * MS) < 0.1 * MS);
  });

  it("hide the wait behind a stall where they are timed from their beginning", () => {
    const { service } = serve(stalling);
    assert.equal(service.filter((ns) => ns > 2 * SERVICE_MS * MS).length, 1);
  });

  it("are given up after twice the time, and count with the time they have waited", () => {
    const { operations, settled, response, service } = serve(() => 4 * INTERVAL_MS);
    assert.equal(operations, COUNT / 2 + 1);
    assert.equal(settled, operations);
    assert.equal(service.length, operations);
    assert.equal(response.length, COUNT);
    const endMs = longestMs({ intervalMs: INTERVAL_MS, count: COUNT });
    assert.ok(response.at(-1)! > (endMs - COUNT * INTERVAL_MS) * MS);
  });
});
