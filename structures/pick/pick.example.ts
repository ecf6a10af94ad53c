import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachPicker, makePicker, type PickInstance } from "hotpath-lab/pick";
import rotatingRoundRobin from "hotpath-lab/pick/rotating-round-robin";

/**
 * Four workers share one picker, and every backend gets as many requests as any other. It prints:
 *
 *     requests by backend: 500000 500000 500000 500000 500000 500000 500000 500000
 */
const BACKENDS = 8;
const WORKERS = 4;
const REQUESTS_PER_WORKER = 1_000_000;

interface Shared {
  readonly picker: PickInstance;
  readonly requests: Int32Array;
}

if (isMainThread) {
  const shared: Shared = {
    picker: makePicker(rotatingRoundRobin, { backends: BACKENDS, workers: WORKERS }),
    requests: new Int32Array(new SharedArrayBuffer(BACKENDS * Int32Array.BYTES_PER_ELEMENT)),
  };
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { shared, index } }), "exit"),
  );
  await Promise.all(ends);
  console.log(`requests by backend: ${shared.requests.join(" ")}`);
} else {
  const { shared, index } = workerData as { shared: Shared; index: number };
  const picker = attachPicker(rotatingRoundRobin, shared.picker, index);
  for (let request = 0; request < REQUESTS_PER_WORKER; request++) {
    Atomics.add(shared.requests, picker.pick(), 1);
  }
}
