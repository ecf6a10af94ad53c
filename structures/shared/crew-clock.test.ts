import assert from "node:assert/strict";
import { it } from "node:test";
import { makeCrewClock, type OwnClock, readCrewClock } from "./crew-clock.ts";

/** The clock of a thread that began some nanoseconds after the first. */
function ownFrom(startNs: bigint): OwnClock & { passNs: (ns: bigint) => void } {
  let nowNs = 1_000_000n;
  return {
    readNs: () => nowNs - startNs,
    beganWithThread: () => true,
    passNs: (ns) => {
      nowNs += ns;
    },
  };
}

it("reads later what is read later, though the threads' own clocks began one after the other", () => {
  const latest = makeCrewClock();
  const owns = [ownFrom(0n), ownFrom(400_000n)];
  const [first, second] = owns.map((own) => readCrewClock(latest, own));
  const readings: number[] = [];
  for (const read of [first!, second!, second!, first!, second!]) {
    readings.push(read());
    for (const own of owns) own.passNs(10n);
  }
  assert.deepEqual(readings, [1_000_000, 1_000_001, 1_000_002, 1_000_030, 1_000_031]);
});

it("is the thread's own where that is one clock for all threads, and touches nothing that they share", () => {
  const latest = makeCrewClock();
  const read = readCrewClock(latest, { readNs: () => 5n, beganWithThread: () => false });
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
