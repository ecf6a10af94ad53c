import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freeSeat } from "../shared/instance.ts";
import inboxWheels from "./competitors/inbox-wheels.ts";
import lazyInsertWheels from "./competitors/lazy-insert-wheels.ts";
import lockedHashedWheel from "./competitors/locked-hashed-wheel.ts";
import { attachTimers, makeTimers } from "./timers.instance.ts";

const SETUP = { capacity: 8, workers: 2 };

describe("timers: an instance", () => {
  for (const [name, competitor] of Object.entries({ inboxWheels, lazyInsertWheels, lockedHashedWheel })) {
    it(`of ${name} is one set for all workers`, () => {
      const instance = makeTimers(competitor, SETUP);
      const first = attachTimers(competitor, instance, 0);
      const second = attachTimers(competitor, structuredClone(instance), 1);
      const moved = first.add(5);
      const cancelled = first.add(5);
      assert.ok(second.refresh(moved, 9));
      assert.ok(second.cancel(cancelled));
      assert.equal(second.size, 1);
      const out = new Int32Array(8);
      assert.equal(first.advance(8, out, 8), 0);
      assert.equal(first.advance(9, out, 8), 1);
      assert.equal(out[0], moved);
    });

    it(`of ${name} keeps the timers of a worker that ended for the next in its seat`, () => {
      const instance = makeTimers(competitor, SETUP);
      const handle = attachTimers(competitor, instance, 0).add(5);
      assert.throws(() => attachTimers(competitor, instance, 0), { message: /^seat 0 is taken: / });
      freeSeat(instance, 0);
      const next = attachTimers(competitor, instance, 0);
      const out = new Int32Array(8);
      assert.equal(next.size, 1);
      assert.equal(next.advance(5, out, 8), 1);
      assert.equal(out[0], handle);
    });
  }

  it("is attached to by the competitor that made it, for what it was made for", () => {
    const instance = makeTimers(inboxWheels, SETUP);
    assert.throws(() => attachTimers(lockedHashedWheel, instance, 0), {
      message: /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/,
    });
    for (const changed of [{ capacity: 9 }, { workers: 3 }])
      assert.throws(() => attachTimers(inboxWheels, { ...instance, ...changed }, 0), {
        name: "RangeError",
        message: /^(capacity 9|workers 3) is not the \d+ that this instance was made for: /,
      });
  });
});
