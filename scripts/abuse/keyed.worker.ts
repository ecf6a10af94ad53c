import { workerData } from "node:worker_threads";
import { attachLocks, type LocksInstance } from "../../structures/keyed/keyed.instance.ts";
import type { Region } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";

/** What a worker that will be terminated is asked to do. */
export interface DoomedTask {
  readonly locks: LocksInstance;
  readonly index: number;
  readonly seed: number;
  readonly keys: number;
  /** By key, two plain words: changes that were begun, and changes that were completed. */
  readonly data: Region;
  /** By worker: requests that have ended. Written by that worker. */
  readonly ended: Region;
  /** One word: how often data were mended. */
  readonly mended: Region;
  /** One word: 1 once the workers are to end. */
  readonly over: Region;
}

const { locks: instance, index, seed, keys, data, ended, mended, over } = workerData as DoomedTask;
const locks = attachLocks(instance, index);
const random = new Random(seed);

function changeOf(key: number) {
  const change = () => {
    data[2 * key]!++;
    // Long enough that many are terminated in here.
    for (let step = random.below(2000); step > 0; step--) random.below(2);
    data[2 * key + 1]!++;
  };
  const mend = () => {
    data[2 * key + 1] = data[2 * key]!;
    Atomics.add(mended, 0, 1);
  };
  return { change, mend };
}

function byBlocking(): void {
  const key = random.below(keys);
  const { change, mend } = changeOf(key);
  locks.requestSync(key, change, { mend });
  Atomics.add(ended, index, 1);
}

async function byWaiting(): Promise<void> {
  const key = random.below(keys);
  const { change, mend } = changeOf(key);
  await locks.request(key, { mend }, async () => {
    change();
    await undefined;
  });
  Atomics.add(ended, index, 1);
}

/** Taken back while it waits, or too late: then it counts as others do. */
async function byLeaving(): Promise<void> {
  const key = random.below(keys);
  const { change, mend } = changeOf(key);
  const leaving = new AbortController();
  const request = locks.request(key, { mend, signal: leaving.signal }, change);
  setImmediate(() => leaving.abort());
  await request.then(
    () => Atomics.add(ended, index, 1),
    () => {},
  );
}

while (Atomics.load(over, 0) === 0) {
  byBlocking();
  await Promise.all([byWaiting(), byWaiting(), byLeaving(), byWaiting()]);
}
