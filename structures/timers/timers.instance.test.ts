import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import inboxWheels from "./competitors/inbox-wheels.ts";
import lazyInsertWheels from "./competitors/lazy-insert-wheels.ts";
import lockedHashedWheel from "./competitors/locked-hashed-wheel.ts";
import { attachTimers, makeTimers } from "./timers.instance.ts";

const REFUSALS = new URL("testdata/refusals.txt", import.meta.url);
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
      freeSeat(instance, 0);
      const next = attachTimers(competitor, instance, 0);
      const out = new Int32Array(8);
      assert.equal(next.size, 1);
      assert.equal(next.advance(5, out, 8), 1);
      assert.equal(out[0], handle);
    });
  }
});

itRefusesAsWritten("timers: instances of others and of other setups, and a taken seat", REFUSALS, () => {
  const instance = makeTimers(inboxWheels, SETUP);
  attachTimers(inboxWheels, instance, 0);
  return { attachTimers, inboxWheels, lockedHashedWheel, instance };
});
