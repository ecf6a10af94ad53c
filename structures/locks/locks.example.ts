import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachTo, type LockInstance, makeInstance } from "hotpath-lab/locks";
import spin100ThenPark from "hotpath-lab/locks/spin-100-then-park";

/**
 * Four workers count in one variable, by plain loads and stores that a lock keeps apart. It prints:
 *
 *     4000000 of 4000000 increments counted
 */
const WORKERS = 4;
const INCREMENTS_PER_WORKER = 1_000_000;

interface Shared {
  readonly lock: LockInstance;
  readonly counter: Int32Array;
}

if (isMainThread) {
  const shared: Shared = {
    lock: makeInstance(spin100ThenPark, WORKERS),
    counter: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { shared, index } }), "exit"),
  );
  await Promise.all(ends);
  console.log(`${shared.counter[0]} of ${WORKERS * INCREMENTS_PER_WORKER} increments counted`);
} else {
  const { shared, index } = workerData as { shared: Shared; index: number };
  const lock = attachTo(spin100ThenPark, shared.lock, index);
  for (let increment = 0; increment < INCREMENTS_PER_WORKER; increment++) {
    lock.lock();
    try {
      shared.counter[0]! += 1;
    } finally {
      lock.unlock();
    }
  }
}
