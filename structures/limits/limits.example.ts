import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { attachBucket, type BucketInstance, makeBucket } from "hotpath-lab/limits";

/**
 * Four workers share one limit: a thousand requests at once, and one more every 100 seconds. Each sends until it is
 * refused. It prints:
 *
 *     1000 requests of 4 workers; another in less than 100 s
 */
const WORKERS = 4;

if (isMainThread) {
  const limit = makeBucket({ capacity: 1000, perSecond: 0.01 });
  const workers = Array.from(
    { length: WORKERS },
    () => new Worker(new URL(import.meta.url), { workerData: limit }),
  );
  const sent = await Promise.all(workers.map(async (worker) => (await once(worker, "message")) as [number]));
  const total = sent.flat().reduce((sum, count) => sum + count, 0);
  const waitS = Math.ceil(attachBucket(limit).waitMs() / 100_000) * 100;
  console.log(`${total} requests of ${WORKERS} workers; another in less than ${waitS} s`);
} else {
  const bucket = attachBucket(workerData as BucketInstance);
  let sent = 0;
  while (bucket.tryTake()) sent++;
  parentPort!.postMessage(sent);
}
