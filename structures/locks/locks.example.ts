import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachLock, type LockInstance, makeLock, withLock, withLockAsync } from "hotpath-lab/locks";
import spin100ThenPark from "hotpath-lab/locks/spin-100-then-park";

/**
 * Four workers count in one variable, by plain loads and stores that a lock keeps apart. The main thread counts with
 * them, and waits for the lock without blocking its event loop. It prints:
 *
 *     4000100 of 4000100 increments counted
 */
const WORKERS = 4;
const INCREMENTS_PER_WORKER = 1_000_000;
const INCREMENTS_OF_MAIN = 100;

interface Shared {
  readonly lock: LockInstance;
  readonly counter: Int32Array;
}

if (isMainThread) {
  const shared: Shared = {
    lock: makeLock(spin100ThenPark, WORKERS + 1),
    counter: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { shared, index } }), "exit"),
  );
  const lock = attachLock(spin100ThenPark, shared.lock, WORKERS);
  for (let increment = 0; increment < INCREMENTS_OF_MAIN; increment++) {
    await withLockAsync(lock, () => {
      shared.counter[0]! += 1;
    });
  }
  await Promise.all(ends);
  const increments = WORKERS * INCREMENTS_PER_WORKER + INCREMENTS_OF_MAIN;
  console.log(`${shared.counter[0]} of ${increments} increments counted`);
} else {
  const { shared, index } = workerData as { shared: Shared; index: number };
  const lock = attachLock(spin100ThenPark, shared.lock, index);
  for (let increment = 0; increment < INCREMENTS_PER_WORKER; increment++) {
    withLock(lock, () => {
      shared.counter[0]! += 1;
    });
  }
}
