import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Condvar, Mutex } from "multithreading";
import { check, checkAsync } from "../index.ts";

/**
 * multithreading: its mutex and its condition variable, whether they block a thread or return promises, which it
 * recommends. Both may be used on the same lock.
 *
 * Promise: a mutex has one holder; a thread that waits for a condition is woken when another says that it changed.
 * Visited completely: two threads that wait for a third, of which one may await it, and all count under the mutex.
 * Found: nothing.
 */
const buffer = () => new SharedArrayBuffer(4);
const shared = { lock: buffer(), changed: buffer(), count: new Int32Array(buffer()) };
type Shared = typeof shared;
const attach = ({ lock, changed, count }: Shared) => ({
  mutex: new Mutex(count, lock),
  condvar: new Condvar(changed),
});
type Own = ReturnType<typeof attach>;
const end = ({ count }: Shared) => assert.equal(count[0], 3);

const blocks = ({ mutex, condvar }: Own) => {
  const guard = mutex.blockingLock();
  while (guard.value[0] === 0) condvar.blockingWait(guard);
  guard.value[0]!++;
  guard.dispose();
};
const awaits = async ({ mutex, condvar }: Own) => {
  const guard = await mutex.lock();
  while (guard.value[0] === 0) await condvar.wait(guard);
  guard.value[0]!++;
  guard.dispose();
};
const changes = ({ mutex, condvar }: Own) => {
  const guard = mutex.blockingLock();
  guard.value[0]!++;
  guard.dispose();
  condvar.notifyAll();
};
const changesAsync = async ({ mutex, condvar }: Own) => {
  const guard = await mutex.lock();
  guard.value[0]!++;
  guard.dispose();
  condvar.notifyAll();
};

describe("the mutex of multithreading", () => {
  it("has one holder, who is not missed by those who wait for a condition", () => {
    check({ shared, attach, threads: [blocks, blocks, changes], end });
  });

  it("wakes who awaits a condition, and who blocks on it", async () => {
    await checkAsync({ shared, attach, threads: [awaits, blocks, changesAsync], end });
  });
});
