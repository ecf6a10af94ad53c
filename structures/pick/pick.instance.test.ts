import assert from "node:assert/strict";
import { describe, it } from "node:test";
import casRing from "./competitors/cas-ring.ts";
import shuffledRoundRobin from "./competitors/shuffled-round-robin.ts";
import { attachTo, makeInstance } from "./pick.instance.ts";

const SETUP = { backends: 8, workers: 2, seed: 1, firstTicket: 0 };

describe("pick: an instance", () => {
  it("is attached to by the picker that made it alone", () => {
    const message = /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/;
    assert.throws(() => attachTo(casRing, makeInstance(shuffledRoundRobin, SETUP), 0), { message });
    assert.throws(() => attachTo(shuffledRoundRobin, makeInstance(casRing, SETUP), 0), { message });
  });

  it("is for the backends and workers it was made for", () => {
    const instance = makeInstance(casRing, SETUP);
    for (const [name, changed] of [
      ["backends", { backends: 16 }],
      ["workers", { workers: 3 }],
    ] as const)
      assert.throws(() => attachTo(casRing, { ...instance, setup: { ...SETUP, ...changed } }, 0), {
        name: "RangeError",
        message: new RegExp(`^${name} \\d+ is not the \\d+ that this instance was made for: `),
      });
  });

  it("has one worker in a seat", () => {
    const instance = makeInstance(casRing, SETUP);
    attachTo(casRing, instance, 0);
    assert.throws(() => attachTo(casRing, structuredClone(instance), 0), { message: /^seat 0 is taken: / });
    attachTo(casRing, structuredClone(instance), 1);
  });
});
