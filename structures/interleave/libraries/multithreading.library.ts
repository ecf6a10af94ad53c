import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Barrier, Condvar, Mutex, RwLock, Semaphore } from "multithreading";
import { check, checkAsync } from "../index.ts";
import { attachEnd, type End, openChannel, receiveTwo } from "./multithreading-channel.ts";

/**
 * multithreading: what it has for threads that share memory, as far as it blocks a thread. Of the mutex and the condition
 * variable also what returns promises, which it recommends; both may be used on the same lock.
 *
 * Promises: a mutex has one holder; a thread that waits for a condition is woken when another says that it changed;
 * "multiple simultaneous readers but only one writer"; a semaphore "limits the number of threads that can access a resource
 * simultaneously"; the last thread to arrive at a barrier releases all, again and again, and "exactly one thread is
 * guaranteed to be the leader per cycle"; "each message is delivered to exactly one consumer", and a channel closes when all
 * senders are dropped.
 * Found: nothing here; models.library.ts has what happens when the memory of a channel gets full.
 */
const words = (length = 1) => new Int32Array(new SharedArrayBuffer(4 * length));

describe("the mutex of multithreading", () => {
  const shared = { lock: words().buffer, changed: words().buffer, count: words() };
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

  it("has one holder, who is not missed by those who wait for a condition", () => {
    check({ shared, attach, threads: [blocks, blocks, changes], end });
  });

  it("wakes who awaits a condition, and who blocks on it", async () => {
    await checkAsync({ shared, attach, threads: [awaits, blocks, changesAsync], end });
  });
});

it("the readers-writer lock of multithreading admits readers together, and a writer alone", () => {
  const shared = { lock: words(), readers: words(), writers: words() };
  type Shared = typeof shared;
  const enter = (entered: Int32Array) => {
    Atomics.add(entered, 0, 1);
    Atomics.sub(entered, 0, 1);
  };
  const read = ({ lock, readers }: Shared) => {
    const guard = new RwLock(undefined, lock.buffer).blockingRead();
    enter(readers);
    guard.dispose();
  };
  const write = ({ lock, writers }: Shared) => {
    const guard = new RwLock(undefined, lock.buffer).blockingWrite();
    enter(writers);
    guard.dispose();
  };
  let mostReaders = 0;
  check<Shared>({
    shared,
    threads: [read, read, write],
    invariant({ readers, writers }) {
      assert.ok(writers[0] === 0 || readers[0] === 0, "a reader meets a writer");
      mostReaders = Math.max(mostReaders, readers[0]!);
    },
  });
  assert.equal(mostReaders, 2);
});

it("the semaphore of multithreading gives no more permits than there are", () => {
  const shared = { permits: words(2), taken: words() };
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

it("the barrier of multithreading lets all pass, with one leader each time", () => {
  const pass = (barrier: Barrier) => barrier.blockingWait().isLeader;
  const twice = [pass, pass];
  for (const threads of [
    [pass, pass, pass],
    [twice, twice],
  ]) {
    const shared = words(4);
    // Unlocked; how many threads there are; how many are still to come; the number of the cycle.
    shared.set([0, threads.length, threads.length, 0]);
    check({
      shared,
      attach: ({ buffer }) => new Barrier(undefined, buffer),
      threads,
      end(_, { results }) {
        for (const round of results[0]!.keys())
          assert.equal(results.filter((of) => of[round] === true).length, 1);
      },
    });
  }
});

describe("the channel of multithreading", () => {
  const checkChannel = (
    send: (sender: End) => unknown,
    other: (sender: End) => unknown,
    end: (received: unknown) => void,
  ) =>
    check({
      shared: openChannel(2, 256),
      attach: attachEnd,
      threads: [send, other, receiveTwo],
      end: (_, { results }) => end(results[2]![0]),
    });

  it("delivers what two threads send", () => {
    const send = (message: boolean) => (sender: End) => assert.ok(sender.blockingSend(message).ok);
    checkChannel(send(true), send(false), (received) =>
      assert.deepEqual(new Set(received as boolean[]), new Set([true, false])),
    );
  });

  it("closes when all senders are dropped, and delivers what was sent before", () => {
    const drop = (sender: End) => sender[Symbol.dispose]();
    const sendAndDrop = (sender: End) => {
      sender.blockingSend(true);
      drop(sender);
    };
    checkChannel(sendAndDrop, drop, (received) => assert.deepEqual(received, [true, "closed"]));
  });
});
