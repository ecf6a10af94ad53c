import { inspect } from "node:util";
import type { Worker } from "node:worker_threads";
import { freeSeat, indexIn, type Stamped } from "./instance.ts";
import { exitWithThread, THREADS_END_LATE } from "./late-threads.ts";

/**
 * Frees the seats of `worker` when it exits, however it ends: it holds seat `index` in each of these instances. A lock
 * that recovers is freed if the worker held it, and its next holder sees `ownerDied`. See `freeSeat` for what else
 * happens. Call it in the thread that started the worker, before anything is awaited:
 *
 *     const worker = adopt(new Worker(url, { workerData: { lock, index } }), index, lock);
 *
 * It runs before the `exit` listeners that are there, so that these can start the next worker in the seat. If the worker
 * has already exited, the seats are freed at once. Returns the worker. Throws a TypeError for a value that is no Worker of
 * `node:worker_threads` or no instance, and a RangeError for an index that is no worker's. Then nothing is freed, now or
 * later.
 *
 * Deno does not stop a thread that is terminated: the thread goes on until it returns to its event loop, and it stays
 * where it sleeps in Atomics.wait. There `exit`, and the promise of `terminate`, **wait until an adopted worker's thread
 * has ended**. Just before, that worker may receive a message `{}`. Neither does Deno say whether a worker has exited: one
 * that is adopted too late keeps its seats there.
 */
export function adopt<Adopted extends Worker>(
  worker: Adopted,
  index: number,
  ...instances: readonly [Stamped, ...Stamped[]]
): Adopted {
  if (typeof worker?.prependOnceListener !== "function" || typeof worker.threadId !== "number")
    throw new TypeError(
      `adopt: ${inspect(worker, { depth: -1 })} is no Worker: give one of node:worker_threads`,
    );
  if (instances.length === 0) throw new TypeError("adopt: give the instances that the worker attaches to");
  for (const instance of instances) indexIn(instance, index);
  const free = () => {
    for (const instance of instances) freeSeat(instance, index);
  };
  if (worker.threadId === EXITED) free();
  else {
    if (THREADS_END_LATE) exitWithThread(worker);
    worker.prependOnceListener("exit", free);
  }
  return worker;
}

/** The number of a thread that has ended, on Node and Bun. */
const EXITED = -1;
