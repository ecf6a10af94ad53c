import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { makeCrewClock, ownClock, readCrewClock } from "./crew-clock.ts";

/** A machine on which hrtime begins with each thread. A thread reports a start that is wrong by some microseconds. */
function machine(startedMs = Date.UTC(2026, 10, 27)) {
  let passedNs = 0;
  return {
    passNs: (ns: number) => {
      passedNs += ns;
    },
    startThread: (errorUs: number) => {
      const beganNs = passedNs;
      const timeOrigin = startedMs + beganNs / 1e6 + errorUs / 1e3;
      return ownClock(true, { timeOrigin, now: () => (passedNs - beganNs) / 1e6 });
    },
  };
}

it("reads later what is read later, though a thread reports its start too early", () => {
  const { passNs, startThread } = machine();
  const latest = makeCrewClock();
  const first = readCrewClock(latest, startThread(0));
  const second = readCrewClock(latest, startThread(-1));
  const steps: bigint[] = [];
  for (const read of [first, second, second, first]) {
    const before = latest[0]!;
    read();
    steps.push(latest[0]! - before);
    passNs(64);
  }
  assert.deepEqual(steps.slice(1), [1n, 1n, 190n]);
});

it("advances for a thread that started later while the first one does not read", () => {
  const { passNs, startThread } = machine();
  const latest = makeCrewClock();
  const first = readCrewClock(latest, startThread(0));
  passNs(5e9);
  const second = readCrewClock(latest, startThread(0));
  const beganNs = first();
  passNs(3e6);
  assert.equal(Math.round((second() - beganNs) / 1e3), 3000);
});

it("advances by the time that passes where the date is before 2026, as of a machine without a clock or of a test", () => {
  for (const startedMs of [0, Date.UTC(2025)]) {
    const { passNs, startThread } = machine(startedMs);
    const latest = makeCrewClock();
    const read = readCrewClock(latest, startThread(0));
    const began = read();
    passNs(1e9);
    assert.equal(Math.round((read() - began) / 1e6), 1000);
  }
});

it("follows the clocks that a test puts in place of Node's, which begin at 0", (context: TestContext) => {
  let nowMs = 0;
  context.mock.method(process.hrtime, "bigint", () => BigInt(nowMs) * 1_000_000n);
  context.mock.method(performance, "now", () => nowMs);
  context.mock.getter(performance, "timeOrigin", () => 0);
  const read = readCrewClock(makeCrewClock());
  const began = read();
  nowMs += 1000;
  assert.equal(read() - began, 1e9);
});

it("is the thread's own where that is one clock for all threads, and touches nothing that they share", () => {
  const latest = makeCrewClock();
  const read = readCrewClock(latest, { readNs: () => 5n, isOneForAllThreads: true });
  assert.equal(read(), 5);
  assert.equal(latest[0], 0n);
});

it("is process.hrtime in Node", () => {
  const latest = makeCrewClock();
  const before = process.hrtime.bigint();
  const now = BigInt(readCrewClock(latest)());
  assert.ok(before <= now && now <= process.hrtime.bigint());
  assert.equal(latest[0], 0n);
});
