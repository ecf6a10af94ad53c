import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Condvar, Mutex } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: its mutex and its condition variable, as far as they block a thread.
 *
 * Promise: a mutex has one holder; a thread that waits for a condition is woken when another says that it changed.
 * Visited completely: two threads that wait for a third, and all count under the mutex.
 * Found: nothing. The forms that return promises are in multithreading-async.library.ts.
 */
describe("the mutex of multithreading", () => {
  it("has one holder, who is not missed by those who wait for a condition", () => {
    const buffer = () => new SharedArrayBuffer(4);
    const shared = { lock: buffer(), changed: buffer(), count: new Int32Array(buffer()) };
    const attach = ({ lock, changed, count }: typeof shared) => ({
      mutex: new Mutex(count, lock),
      condvar: new Condvar(changed),
    });
    type Own = ReturnType<typeof attach>;
    const waits = ({ mutex, condvar }: Own) => {
      const guard = mutex.blockingLock();
      while (guard.value[0] === 0) condvar.blockingWait(guard);
      guard.value[0]!++;
      guard.dispose();
    };
    const wakes = ({ mutex, condvar }: Own) => {
      const guard = mutex.blockingLock();
      guard.value[0]!++;
      guard.dispose();
      condvar.notifyAll();
    };
    check({
      shared,
      attach,
      threads: [waits, waits, wakes],
      end: ({ count }) => assert.equal(count[0], 3),
    });
  });
});
