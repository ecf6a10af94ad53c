import assert from "node:assert/strict";
import { describe, it } from "node:test";
import perWorkerSequential from "./competitors/per-worker-sequential.ts";
import sharedTicket from "./competitors/shared-ticket.ts";
import { attachSlots, makeSlots } from "./slots.instance.ts";

const SETUP = { slots: 600, workers: 2, seed: 1 };

describe("slots: an instance", () => {
  it("is attached to by the allocator that made it alone", () => {
    assert.throws(() => attachSlots(sharedTicket, makeSlots(perWorkerSequential, SETUP), 0), {
      message: /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/,
    });
  });

  it("is for the slots and workers it was made for", () => {
    const instance = makeSlots(sharedTicket, SETUP);
    for (const changed of [{ slots: 601 }, { workers: 3 }])
      assert.throws(() => attachSlots(sharedTicket, { ...instance, ...changed }, 0), {
        name: "RangeError",
        message: /^(slots 601|workers 3) is not the \d+ that this instance was made for: /,
      });
  });

  it("has one worker in a seat", () => {
    const instance = makeSlots(sharedTicket, SETUP);
    attachSlots(sharedTicket, instance, 0);
    assert.throws(() => attachSlots(sharedTicket, instance, 0), { message: /^seat 0 is taken: / });
    attachSlots(sharedTicket, instance, 1);
  });
});
