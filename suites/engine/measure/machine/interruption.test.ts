import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { ENDINGS, onInterruption } from "./interruption.ts";

/** A process that notes its exit codes, and its clock. */
function watched() {
  const of = Object.assign(new EventEmitter(), { codes: [] as unknown[], exit: (code?: unknown) => code });
  of.exit = (code) => of.codes.push(code);
  const clock = { nowMs: 0 };
  const { signal, release } = onInterruption(of as unknown as NodeJS.Process, () => clock.nowMs);
  return { of, clock, signal, release };
}

describe("an interruption", () => {
  for (const name of ENDINGS)
    it(`aborts on ${name}, which may come twice at once, and ends on another one`, () => {
      const { of, clock, signal } = watched();
      assert.equal(signal.aborted, false);
      of.emit(name);
      clock.nowMs = 1000;
      of.emit(name);
      assert.equal(signal.aborted, true);
      assert.deepEqual(of.codes, []);
      clock.nowMs = 1001;
      of.emit(name);
      assert.deepEqual(of.codes, [130]);
    });

  it("is not heard any more once it is released", () => {
    const { of, signal, release } = watched();
    release();
    for (const name of ENDINGS) of.emit(name);
    assert.equal(signal.aborted, false);
  });
});
