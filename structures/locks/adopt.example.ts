import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { adopt, attachLock, type LockInstance, makeLock, withLock, withLockAsync } from "hotpath-lab";
import robustFutex from "hotpath-lab/locks/robust-futex";

/**
 * A worker is terminated while it moves money from one account to the other, behind a lock. The next holder mends what was
 * left half done, and a new worker takes the place of the old one. It prints:
 *
 *     mended: 90 and 10
 *     moved: 80 and 20
 */
const MAIN = 0;
const MOVER = 1;
const ALL = 100;

interface Shared {
  readonly lock: LockInstance;
  readonly accounts: Int32Array;
  readonly dies: boolean;
}

if (isMainThread) {
  const lock = makeLock(robustFutex, 2);
  const accounts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  accounts[0] = ALL;
  const start = (dies: boolean): Worker => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { lock, accounts, dies } });
    return adopt(worker, MOVER, lock);
  };

  const first = start(true);
  await once(first, "message");
  await first.terminate();
  const mine = attachLock(robustFutex, lock, MAIN);
  const mend = () => {
    accounts[1] = ALL - accounts[0]!;
  };
  await withLockAsync(mine, () => console.log(`mended: ${accounts.join(" and ")}`), { mend });

  await once(start(false), "exit");
  await withLockAsync(mine, () => console.log(`moved: ${accounts.join(" and ")}`));
} else {
  const { lock, accounts, dies } = workerData as Shared;
  const mine = attachLock(robustFutex, lock, MOVER);
  if (dies) {
    mine.lock();
    accounts[0]! -= 10;
    parentPort!.postMessage("half done");
    setInterval(() => {}, 1000);
  } else
    withLock(mine, () => {
      accounts[0]! -= 10;
      accounts[1]! += 10;
    });
}
