import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Barrier, Condvar, Mutex, RwLock, Semaphore } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: "the missing standard library", here its locks as far as they block a thread.
 *
 * Promise: a Mutex has one holder, a RwLock one writer or several readers, a Semaphore no more holders than permits; no
 * wake-up of a Condvar is lost; a Barrier lets all go at once, again and again, and names one leader each time.
 * Visited completely: three threads each, and two twice at the barrier.
 * Found: nothing. The forms that return promises, and the channel, are not in here.
 */
const words = (...initial: number[]) => {
  const made = new Int32Array(new SharedArrayBuffer(4 * initial.length));
  made.set(initial);
  return made;
};

describe("multithreading", () => {
  it("has one holder of a mutex, who is not missed by those who wait for a condition", () => {
    const shared = { lock: words(0).buffer, changed: words(0).buffer, state: words(0) };
    check({
      shared,
      attach: ({ lock, changed, state }) => ({
        mutex: new Mutex(state, lock),
        condvar: new Condvar(changed),
      }),
      threads: [
        ...Array.from(
          { length: 2 },
          () =>
            ({ mutex, condvar }: { mutex: Mutex<Int32Array>; condvar: Condvar }) => {
              const guard = mutex.blockingLock();
              while (guard.value[0] === 0) condvar.blockingWait(guard);
              guard.value[0]!++;
              guard.dispose();
            },
        ),
        ({ mutex, condvar }) => {
          const guard = mutex.blockingLock();
          guard.value[0]!++;
          guard.dispose();
          condvar.notifyAll();
        },
      ],
      end: ({ state }) => assert.equal(state[0], 3),
    });
  });

  it("admits readers together, and a writer alone", () => {
    const shared = { lock: words(0).buffer, readers: words(0), writers: words(0) };
    const enter = (entered: Int32Array, others: Int32Array, most: number) => {
      assert.ok(Atomics.add(entered, 0, 1) < most && Atomics.load(others, 0) === 0);
      Atomics.sub(entered, 0, 1);
    };
    const read = ({ lock, readers, writers }: typeof shared) => {
      const guard = new RwLock(undefined, lock).blockingRead();
      enter(readers, writers, 2);
      guard.dispose();
    };
    const write = ({ lock, readers, writers }: typeof shared) => {
      const guard = new RwLock(undefined, lock).blockingWrite();
      enter(writers, readers, 1);
      guard.dispose();
    };
    check({
      shared,
      threads: [read, read, write],
    });
  });

  it("gives no more permits than there are", () => {
    const shared = { permits: words(2, 0), taken: words(0) };
    const take =
      (count: number) =>
      ({ permits, taken }: typeof shared) => {
        const guard = new Semaphore(0, permits.buffer).blockingAcquire(count);
        assert.ok(Atomics.add(taken, 0, count) + count <= 2);
        Atomics.sub(taken, 0, count);
        guard.dispose();
      };
    check({ shared, threads: [take(2), take(1)], end: ({ permits }) => assert.equal(permits[0], 2) });
  });

  it("lets all pass a barrier together, with one leader each time", () => {
    const pass = (barrier: Barrier) => barrier.blockingWait().isLeader;
    for (const threads of [
      [pass, pass, pass],
      [
        [pass, pass],
        [pass, pass],
      ],
    ])
      check({
        shared: words(0, threads.length, threads.length, 0),
        attach: ({ buffer }) => new Barrier(undefined, buffer as SharedArrayBuffer),
        threads,
        end(_, { results }) {
          for (const round of results[0]!.keys())
            assert.equal(results.filter((of) => of[round] === true).length, 1);
        },
      });
  });
});
