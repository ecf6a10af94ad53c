import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { attachLocks, createLocks } from "../../structures/keyed/keyed.instance.ts";
import { freeSeat } from "../../structures/shared/instance.ts";
import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import type { DoomedTask } from "./keyed.worker.ts";

/**
 * Workers that are terminated at random moments while they use locks by key: before they have begun, while they wait,
 * inside a body, while they mend, or as they release. Each is replaced at once. Keys are fewer than workers can want, and
 * stripes fewer than keys.
 */
const TERMINATIONS = 300;
const WORKERS = 4;
const KEYS = 6;
const STRIPES = 3;
const MOST_DELAY_MS = 40;
/** In which the workers that are left have to finish. */
const LIMIT_MS = 20_000;

for (const fair of [false, true])
  it(`locks by key, ${fair ? "fair" : "not fair"}: nothing is stuck or lost where ${TERMINATIONS} workers are terminated`, async () => {
    const random = new Random(20_261_126 + Number(fair));
    // The last seat is the main thread's.
    const locks = createLocks({ stripes: STRIPES, workers: WORKERS + 1, fair });
    const data = allocateRegion(2 * KEYS);
    const ended = allocateRegion(WORKERS);
    const mended = allocateRegion(1);
    const over = allocateRegion(1);
    const start = (index: number) => {
      const seed = random.below(2 ** 30);
      const workerData = { locks, index, seed, keys: KEYS, data, ended, mended, over } satisfies DoomedTask;
      const worker = new Worker(new URL("./keyed.worker.ts", import.meta.url), { workerData });
      const exit = once(worker, "exit").then(() => freeSeat(locks, index));
      return { worker, exit };
    };

    const crew = Array.from({ length: WORKERS }, (_, index) => start(index));
    for (let terminated = 0; terminated < TERMINATIONS; terminated++) {
      await delay(random.below(MOST_DELAY_MS));
      const index = random.below(WORKERS);
      await crew[index]!.worker.terminate();
      await crew[index]!.exit;
      crew[index] = start(index);
    }
    const before = total(ended);
    await delay(500);
    Atomics.store(over, 0, 1);
    const limit = delay(LIMIT_MS, "stuck", { ref: false });
    assert.notEqual(await Promise.race([Promise.all(crew.map(({ exit }) => exit)), limit]), "stuck");

    const own = attachLocks(locks, WORKERS);
    for (let key = 0; key < KEYS; key++) {
      const mend = () => {
        data[2 * key + 1] = data[2 * key]!;
        Atomics.add(mended, 0, 1);
      };
      const signal = AbortSignal.timeout(LIMIT_MS);
      await own.request(key, { mend, signal }, () => assert.equal(data[2 * key], data[2 * key + 1]));
    }
    const changes = total(data.filter((_, word) => word % 2 === 0));
    // A worker may die after its change and before it counts it, at most one for each kind of request that it makes at once.
    const uncounted = changes - total(ended);
    console.log(
      `${changes} changes, ${total(ended)} of them by requests that ended (${total(ended) - before} after the last termination), ${mended[0]} mended, ${uncounted} by workers that died before they could count them`,
    );
    assert.ok(total(ended) > before, "nothing went on after the last termination");
    assert.ok(uncounted >= 0 && uncounted <= MOST_AT_ONCE * TERMINATIONS, `${uncounted}`);
  });

/** Requests of one worker that can have changed data and not be counted when it dies. */
const MOST_AT_ONCE = 4;

function total(words: Int32Array): number {
  return words.reduce((sum, word) => sum + word, 0);
}
