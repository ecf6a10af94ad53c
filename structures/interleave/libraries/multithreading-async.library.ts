import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Condvar, Mutex } from "multithreading";
import { checkAsync } from "../index.ts";

/**
 * multithreading: the forms of its mutex and condition variable that return promises, which it recommends.
 *
 * Promise: that of the forms that block. Both may be used on the same lock.
 * Visited completely: a thread that awaits a condition, one that blocks on it, and one that changes it.
 * Found: nothing.
 */
describe("multithreading, awaited", () => {
  it("wakes who awaits a condition, and who blocks on it", async () => {
    const buffer = () => new SharedArrayBuffer(4);
    const shared = { lock: buffer(), changed: buffer(), count: new Int32Array(buffer()) };
    const attach = ({ lock, changed, count }: typeof shared) => ({
      mutex: new Mutex(count, lock),
      condvar: new Condvar(changed),
    });
    type Own = ReturnType<typeof attach>;
    const awaits = async ({ mutex, condvar }: Own) => {
      const guard = await mutex.lock();
      while (guard.value[0] === 0) await condvar.wait(guard);
      guard.value[0]!++;
      guard.dispose();
    };
    const blocks = ({ mutex, condvar }: Own) => {
      const guard = mutex.blockingLock();
      while (guard.value[0] === 0) condvar.blockingWait(guard);
      guard.value[0]!++;
      guard.dispose();
    };
    const changes = async ({ mutex, condvar }: Own) => {
      const guard = await mutex.lock();
      guard.value[0]!++;
      guard.dispose();
      condvar.notifyAll();
    };
    await checkAsync({
      shared,
      attach,
      threads: [awaits, blocks, changes],
      end: ({ count }) => assert.equal(count[0], 3),
    });
  });
});
