import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachPicker, makePicker } from "hotpath-lab/pick";
import rotatingRoundRobin from "hotpath-lab/pick/rotating-round-robin";

/**
 * Four workers share one picker, and every backend gets as many requests as any other. It prints:
 *
 *     requests by backend: 500000 500000 500000 500000 500000 500000 500000 500000
 */
const WORKERS = 4;
const BACKENDS = 8;

if (isMainThread) {
  const instance = makePicker(rotatingRoundRobin, { backends: BACKENDS, workers: WORKERS });
  const requests = new Int32Array(new SharedArrayBuffer(BACKENDS * Int32Array.BYTES_PER_ELEMENT));
  const ends = Array.from({ length: WORKERS }, (_, index) =>
    once(new Worker(new URL(import.meta.url), { workerData: { instance, requests, index } }), "exit"),
  );
  await Promise.all(ends);
  console.log(`requests by backend: ${requests.join(" ")}`);
} else {
  const { instance, requests, index } = workerData;
  const picker = attachPicker(rotatingRoundRobin, instance, index);
  for (let request = 0; request < 1_000_000; request++) Atomics.add(requests, picker.pick(), 1);
}
