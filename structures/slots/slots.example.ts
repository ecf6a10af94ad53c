import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachSlots, makeSlots, type SlotsInstance } from "hotpath-lab/slots";
import perWorkerLeastLoaded from "hotpath-lab/slots/per-worker-least-loaded";

/**
 * Four workers give each client that connects a second of the interval; every third client leaves again and another
 * comes. It prints:
 *
 *     10000 clients, 16 to 18 in a second
 */
const SECONDS = 600;
const WORKERS = 4;
const CLIENTS_PER_WORKER = 2500;

interface Shared {
  readonly slots: SlotsInstance;
  readonly clients: Int32Array;
}

if (isMainThread) {
  const shared: Shared = {
    slots: makeSlots(perWorkerLeastLoaded, { slots: SECONDS, workers: WORKERS }),
    clients: new Int32Array(new SharedArrayBuffer(SECONDS * Int32Array.BYTES_PER_ELEMENT)),
  };
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { shared, index } }), "exit"),
  );
  await Promise.all(ends);
  const { clients } = shared;
  const total = clients.reduce((sum, count) => sum + count, 0);
  console.log(`${total} clients, ${Math.min(...clients)} to ${Math.max(...clients)} in a second`);
} else {
  const { shared, index } = workerData as { shared: Shared; index: number };
  const allocator = attachSlots(perWorkerLeastLoaded, shared.slots, index);
  const connect = () => {
    const second = allocator.take();
    Atomics.add(shared.clients, second, 1);
    return second;
  };
  const seconds = Array.from({ length: CLIENTS_PER_WORKER }, connect);
  for (let client = 0; client < CLIENTS_PER_WORKER; client += 3) {
    allocator.give(seconds[client]!);
    Atomics.sub(shared.clients, seconds[client]!, 1);
    seconds[client] = connect();
  }
}
