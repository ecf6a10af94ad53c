import assert from "node:assert/strict";
import { describe, it } from "node:test";
import mcsSpinning from "./competitors/mcs-spinning.ts";
import ticket from "./competitors/ticket.ts";
import { attachLock, makeLock } from "./locks.instance.ts";

describe("locks: an instance", () => {
  it("is attached to by the lock that made it alone", () => {
    assert.throws(() => attachLock(mcsSpinning, makeLock(ticket, 2), 0), {
      message: /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/,
    });
  });

  it("is for the workers it was made for", () => {
    assert.throws(() => attachLock(mcsSpinning, { ...makeLock(mcsSpinning, 2), workers: 3 }, 2), {
      name: "RangeError",
      message: "workers 3 is not the 2 that this instance was made for: make another",
    });
  });

  it("has one worker in a seat", () => {
    const instance = makeLock(mcsSpinning, 2);
    attachLock(mcsSpinning, instance, 0);
    assert.throws(() => attachLock(mcsSpinning, instance, 0), { message: /^seat 0 is taken: / });
    attachLock(mcsSpinning, instance, 1);
  });
});
