import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { makeMetrics, readMetrics } from "../../structures/metrics/metrics.instance.ts";
import { freeSeat } from "../../structures/shared/instance.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";

/** Workers that count as fast as they can and are terminated, wherever that finds them. */

const TERMINATIONS = 300;
/** Overflows the low word of a count once in 128 adds. */
const STEP = 2 ** 24 + 1;
/** Units enough that a sum overflows about as often. */
const VALUE = 16;
/** Reads of everything before a worker is terminated, at most. */
const MOST_READS = 300;

/** What a worker has completed for certain: words 0 and 1, written by it after each call. */
const ADDED = 0;
const RECORDED = 1;

const PROGRAM = `const { workerData: { url, instance, completed } } = require("node:worker_threads");
import(url).then(({ attachMetrics }) => {
  const { counter, histogram } = attachMetrics(instance, 0);
  for (let done = 1; ; done++) {
    counter.add(${STEP});
    Atomics.store(completed, ${ADDED}, done);
    histogram.record(${VALUE});
    Atomics.store(completed, ${RECORDED}, done);
  }
});`;

it(`metrics: ${TERMINATIONS} workers are terminated in one seat, and what each has counted stays`, async () => {
  const url = import.meta.resolve("../../structures/metrics/metrics.instance.ts");
  const instance = makeMetrics({
    workers: 1,
    counters: { counter: "adds" },
    histograms: { histogram: { help: "records" } },
  });
  const random = new Random(46);
  const read = () => {
    const { counter, histogram } = readMetrics(instance);
    return [counter, histogram.count, histogram.sum] as const;
  };
  let before = read();
  for (let termination = 0; termination < TERMINATIONS; termination++) {
    const completed = allocateRegion(2);
    const worker = new Worker(PROGRAM, { eval: true, workerData: { url, instance, completed } });
    const ended = once(worker, "exit");
    while (Atomics.load(completed, RECORDED) === 0) await setImmediate();
    let seen = before;
    for (let left = random.below(MOST_READS); left > 0; left--) {
      const now = read();
      assert.ok(
        now.every((figure, index) => figure >= seen[index]!),
        `${now} after ${seen}`,
      );
      assert.equal(now[0] % STEP, 0);
      seen = now;
    }
    await worker.terminate();
    await ended;
    freeSeat(instance, 0);

    const [counter, count, sum] = read();
    assert.ok(counter < Number.MAX_SAFE_INTEGER);
    const adds = (counter - before[0]) / STEP;
    const added = Atomics.load(completed, ADDED);
    assert.ok(adds === added || adds === added + 1, `${adds} adds of ${added}`);
    const records = count - before[1];
    const recorded = Atomics.load(completed, RECORDED);
    assert.ok(records === recorded || records === recorded + 1, `${records} records of ${recorded}`);
    // A record that was cut short may have left its value in the sum.
    const values = (sum - before[2]) / VALUE;
    assert.ok(values === records || values === records + 1, `a sum of ${values} values of ${records}`);
    before = [counter, count, sum];
  }
});
