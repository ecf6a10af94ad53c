import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Semaphore } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: its semaphore, as far as it blocks a thread.
 *
 * Promise: it "limits the number of threads that can access a resource simultaneously".
 * Visited completely: two permits, of which one thread takes both and another one.
 * Found: nothing. The forms that return promises are not in here.
 */
describe("the semaphore of multithreading", () => {
  it("gives no more permits than there are", () => {
    const words = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
    const shared = { permits: words(2), taken: words(1) };
    shared.permits[0] = 2;
    const take =
      (count: number) =>
      ({ permits, taken }: typeof shared) => {
        const guard = new Semaphore(0, permits.buffer).blockingAcquire(count);
        Atomics.add(taken, 0, count);
        Atomics.sub(taken, 0, count);
        guard.dispose();
      };
    check({
      shared,
      threads: [take(2), take(1)],
      invariant: ({ taken }) => assert.ok(taken[0]! <= 2, `${taken[0]} permits are taken`),
      end: ({ permits }) => assert.equal(permits[0], 2),
    });
  });
});
