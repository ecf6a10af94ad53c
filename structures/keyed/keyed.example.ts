import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { adopt } from "hotpath-lab";
import { attachLocks, createLocks, type LocksInstance } from "hotpath-lab/locks";

/**
 * Three workers change two carts in shared memory, each cart under a key of its own. One of the workers ends in the
 * middle of a change; the next request for that cart finds it half changed and mends it. It prints:
 *
 *     cart 17: 2000 items, cart 18: 2000 items
 */
interface Shared {
  readonly locks: LocksInstance;
  /** By cart: items, and whether a change is under way. */
  readonly carts: readonly Int32Array[];
}

if (isMainThread) {
  const locks = createLocks({ stripes: 1024, workers: 3 });
  const carts = [17, 18].map(() => new Int32Array(new SharedArrayBuffer(8)));
  const start = (index: number) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { locks, carts, index } });
    return once(adopt(worker, index, locks), "exit");
  };
  await start(2);
  await Promise.all([start(0), start(1)]);
  console.log(`cart 17: ${carts[0]![0]} items, cart 18: ${carts[1]![0]} items`);
} else {
  const { carts, locks: instance, index } = workerData as Shared & { readonly index: number };
  const locks = attachLocks(instance, index);
  for (const [place, cart] of carts.entries()) {
    const change = () => {
      cart[1] = 1;
      if (index === 2) process.exit();
      cart[0]!++;
      cart[1] = 0;
    };
    const mend = () => {
      cart[1] = 0;
    };
    for (let done = 0; done < 500; done++) {
      await locks.request(`cart/${17 + place}`, { mend }, change);
      locks.requestSync(`cart/${17 + place}`, change, { mend });
    }
  }
}
