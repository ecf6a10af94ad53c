import assert from "node:assert/strict";
import { describe, it } from "node:test";
import mcsSpinning from "./competitors/mcs-spinning.ts";
import ticket from "./competitors/ticket.ts";
import { attachTo, makeInstance } from "./locks.instance.ts";

describe("locks: an instance", () => {
  it("is attached to by the lock that made it alone", () => {
    assert.throws(() => attachTo(mcsSpinning, makeInstance(ticket, 2), 0), {
      message: /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/,
    });
  });

  it("is for the workers it was made for", () => {
    assert.throws(() => attachTo(mcsSpinning, { ...makeInstance(mcsSpinning, 2), workers: 3 }, 2), {
      name: "RangeError",
      message: "workers 3 is not the 2 that this instance was made for: make another",
    });
  });

  it("has one worker in a seat", () => {
    const instance = makeInstance(mcsSpinning, 2);
    attachTo(mcsSpinning, instance, 0);
    assert.throws(() => attachTo(mcsSpinning, instance, 0), { message: /^seat 0 is taken: / });
    attachTo(mcsSpinning, instance, 1);
  });
});
