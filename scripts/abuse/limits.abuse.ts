import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { attachBucket, type BucketInstance, makeBucket } from "../../structures/limits/limits.instance.ts";
import { tokensAreConserved } from "../../structures/limits/limits.laws.ts";
import { Random } from "../../structures/shared/sfc32.ts";

/** Workers that are terminated while they take from one bucket: it holds what they did not count, and no more. */

interface Shared {
  readonly bucket: BucketInstance;
  /** A word for each worker of the crew: tokens that it has counted, written by it alone. */
  readonly counts: Int32Array;
  readonly index: number;
}

const TERMINATIONS = 300;
const CREW = 3;
const MOST_LIFE_MS = 20;
/** One comes each 100 s, so that none does while a crew lives. */
const SETUP = { capacity: 10_000_000, perSecond: 1e-2 };

if (isMainThread) {
  it(`${TERMINATIONS} workers are terminated as they take`, { timeout: 300_000 }, async () => {
    const random = new Random(46);
    for (let terminated = 0; terminated < TERMINATIONS; terminated += CREW) {
      const bucket = makeBucket(SETUP);
      const counts = new Int32Array(new SharedArrayBuffer(CREW * Int32Array.BYTES_PER_ELEMENT));
      const workers = Array.from({ length: CREW }, (_, index) => {
        return new Worker(new URL(import.meta.url), {
          workerData: { bucket, counts, index } satisfies Shared,
        });
      });
      // All tokens last longer than threads take to start.
      for (const index of workers.keys()) await Atomics.waitAsync(counts, index, 0).value;
      for (const worker of workers) {
        await pass(random.fraction() * MOST_LIFE_MS);
        await worker.terminate();
      }
      const late = attachBucket(bucket);
      let taken = counts.reduce((sum, count) => sum + count, 0);
      for (let n = 2 ** 22; n >= 1; n /= 2) while (late.tryTake(n)) taken += n;
      const seen = { held: SETUP.capacity, taken, terminated: CREW };
      assert.equal(tokensAreConserved(seen), undefined);
    }
  });
} else {
  const { bucket, counts, index } = workerData as Shared;
  const { tryTake } = attachBucket(bucket);
  for (;;) {
    if (!tryTake()) continue;
    Atomics.add(counts, index, 1);
    Atomics.notify(counts, index);
  }
}
