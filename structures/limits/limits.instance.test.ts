import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it, mock } from "node:test";
import { Worker } from "node:worker_threads";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import type { TokenBucket } from "./limits.contract.ts";
import {
  attachBucket,
  attachBuckets,
  type BucketInstance,
  type BucketsInstance,
  makeBucket,
  makeBuckets,
} from "./limits.instance.ts";
import { tokensAreConserved } from "./limits.laws.ts";
import { expressStore } from "./parts/express-store.ts";
import { waiting } from "./parts/waiting.ts";

const CAPACITY = 10_000_000;
const KEYS = ["a", "b", "c"];

describe("limits: a bucket", () => {
  it("is one for all that attach, with or without a seat", () => {
    const instance = makeBucket({ capacity: 3, perSecond: 1e-3, workers: 2 });
    const buckets = [attachBucket(instance), attachBucket(instance, 0), attachBucket(instance, 1)];
    assert.deepEqual(
      [...buckets, ...buckets].map((bucket) => bucket.tryTake()),
      [true, true, true, false, false, false],
    );
    const waitMs = buckets[0]!.waitMs();
    assert.ok(waitMs > 0 && waitMs <= 1e6, String(waitMs));
  });

  it("crosses by structured clone, and has seats with one holder each", () => {
    const instance = makeBucket({ capacity: 2, perSecond: 1e-3, workers: 2 });
    assert.equal(attachBucket(structuredClone(instance), 1).tryTake(2), true);
    freeSeat(instance, 1);
    assert.equal(attachBucket(instance, 1).tryTake(), false);
  });
});

/** How a thread takes one token, and how the last one takes what is left. */
const TERMINATED = {
  "a bucket": {
    held: CAPACITY,
    instance: makeBucket({ capacity: CAPACITY, perSecond: 1e-2 }),
    attach: "attachBucket",
    take: "handle.tryTake()",
    lateTake: (instance: unknown) => {
      const bucket = attachBucket(instance as BucketInstance);
      return [(n: number) => bucket.tryTake(n)];
    },
  },
  "buckets by key": {
    held: KEYS.length * CAPACITY,
    instance: makeBuckets({ capacity: CAPACITY, perSecond: 1e-2, keys: KEYS.length }),
    attach: "attachBuckets",
    take: `handle.tryTake(${JSON.stringify(KEYS)}[taken++ % ${KEYS.length}])`,
    lateTake: (instance: unknown) => {
      const buckets = attachBuckets(instance as BucketsInstance);
      return KEYS.map((key) => (n: number) => buckets.tryTake(key, n));
    },
  },
};
for (const [what, { held, instance, attach, take, lateTake }] of Object.entries(TERMINATED))
  it(`limits: no token is lost to workers that are terminated amid takes from ${what}`, async () => {
    const counts = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
    const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    // Each takes one before it waits for the others, so that none can find all tokens taken.
    const source = `
      const { workerData } = require("node:worker_threads");
      import(workerData.url).then((door) => {
        const { instance, counts, gate, index } = workerData;
        const handle = door.${attach}(instance);
        let taken = 0;
        const take = () => { if (${take}) Atomics.add(counts, index, 1); };
        take();
        Atomics.notify(counts, index);
        Atomics.wait(gate, 0, 0);
        for (;;) take();
      });`;
    const url = new URL("./limits.instance.ts", import.meta.url).href;
    const workers = [0, 1, 2].map(
      (index) => new Worker(source, { eval: true, workerData: { url, instance, counts, gate, index } }),
    );
    for (const index of workers.keys()) await Atomics.waitAsync(counts, index, 0).value;
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    // Each is terminated in the midst of its takes, while the later ones go on.
    for (const worker of workers) await worker.terminate();
    let taken = counts.reduce((sum, count) => sum + count, 0);
    for (const tryTake of lateTake(instance))
      for (let n = 2 ** 22; n >= 1; n /= 2) while (tryTake(n)) taken += n;
    assert.equal(tokensAreConserved({ held, taken, terminated: workers.length }), undefined);
  });

describe("limits: buckets by key", () => {
  it("are one set for all that attach, with a limit for each key", () => {
    const instance = makeBuckets({ capacity: 2, perSecond: 1e-3, keys: 10, workers: 2 });
    const [one, other] = [attachBuckets(instance), attachBuckets(structuredClone(instance), 1)];
    assert.deepEqual(
      [one.tryTake("a"), other.tryTake("a"), one.tryTake("a"), other.tryTake(5, 2), other.tryTake("5")],
      [true, true, false, true, true],
    );
    assert.equal(one.waitMs("b"), 0);
    assert.ok(one.waitMs(5) > 9e5 && one.waitMs(5) <= 1e6);
    assert.throws(() => one.tryTake({} as never), /^TypeError: {} is no key/);
    assert.throws(() => one.tryTake("a", 3), /^RangeError: n 3 is not an integer in 1 \.\. 2/);
  });

  it("refuse a key for which there is no room, and say until when", () => {
    const buckets = attachBuckets(makeBuckets({ capacity: 1, perSecond: 1e-3, keys: 1 }));
    const taken = Array.from({ length: 20 }, (_, key) => buckets.tryTake(key));
    assert.equal(taken.filter((isTaken) => isTaken).length, 16);
    assert.ok(buckets.waitMs(19) > 9e5 && buckets.waitMs(19) <= 1e6);
  });

  it("are a store of express-rate-limit", (context) => {
    context.mock.timers.enable({ apis: ["Date"] });
    const instance = makeBuckets({ capacity: 2, perSecond: 1e-3, keys: 10 });
    const [store, ofOther] = [expressStore(instance), expressStore(instance)];
    store.init({ limit: 2 });
    const hits = [store, ofOther, store].map((one) => one.increment("10.0.0.1"));
    assert.deepEqual(
      hits.map(({ totalHits, resetTime }) => [totalHits, Math.ceil(Number(resetTime) / 1e4)]),
      [
        [1, 100],
        [2, 200],
        [3, 100],
      ],
    );
    assert.throws(
      () => store.decrement("10.0.0.1"),
      /^Error: expressStore: what was taken is not given back/,
    );
  });
});

describe("limits: takes that wait", () => {
  /** A bucket that gets a token each 10 ms, by a clock that moves with the mocked timers. */
  function stepped(capacity: number) {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    let taken = 0;
    const left = () => Math.min(capacity, capacity + Math.floor(Date.now() / 10) - taken);
    const bucket: TokenBucket = {
      tryTake(n = 1) {
        if (left() < n) return false;
        taken += n;
        return true;
      },
      waitMs(n = 1) {
        if (n > capacity) throw new RangeError("too many");
        return Math.max(0, (n - left()) * 10 - (Date.now() % 10));
      },
    };
    const granted: string[] = [];
    const handle = waiting(bucket);
    const take = (name: string, n?: number, signal?: AbortSignal) =>
      handle.take(n, { signal }).then(
        () => granted.push(name),
        (reason: unknown) => granted.push(`${name}: ${(reason as Error).message}`),
      );
    const passMs = async (ms: number) => {
      for (let passed = 0; passed < ms; passed++) mock.timers.tick(1);
      await Promise.resolve();
      await new Promise(setImmediate);
    };
    return { handle, take, passMs, granted, takenSoFar: () => taken };
  }

  const timed = (name: string, test: () => Promise<void>) =>
    it(name, async () => {
      try {
        await test();
      } finally {
        mock.timers.reset();
      }
    });

  timed("are granted in the order of their calls, the large before the small", async () => {
    const { take, passMs, granted } = stepped(3);
    for (const [name, n] of [
      ["first", 3],
      ["large", 3],
      ["small", 1],
    ] as const)
      void take(name, n);
    await passMs(0);
    assert.deepEqual(granted, ["first"]);
    await passMs(29);
    assert.deepEqual(granted, ["first"]);
    await passMs(1);
    assert.deepEqual(granted, ["first", "large"]);
    await passMs(10);
    assert.deepEqual(granted, ["first", "large", "small"]);
    void take("two", 2);
    await passMs(10);
    void take("late", 1);
    await passMs(0);
    assert.equal(granted.length, 3);
    await passMs(20);
    assert.deepEqual(granted.slice(3), ["two", "late"]);
  });

  timed("take nothing where they are aborted, and let the next go on", async () => {
    const { take, passMs, granted, takenSoFar } = stepped(2);
    const [first, last] = [new AbortController(), new AbortController()];
    void take("all", 2);
    void take("large", 2, first.signal);
    void take("small", 1);
    void take("last", 1, last.signal);
    await passMs(10);
    assert.deepEqual(granted, ["all"]);
    first.abort(new Error("gone"));
    last.abort(new Error("gone, too"));
    await passMs(1);
    assert.deepEqual(granted, ["all", "large: gone", "last: gone, too", "small"]);
    assert.equal(takenSoFar(), 3);
    void take("late", 1, AbortSignal.abort(new Error("before it began")));
    await passMs(100);
    assert.equal(granted.at(-1), "late: before it began");
    assert.equal(takenSoFar(), 3);
  });

  timed("sleep through waits that are longer than timers can be", async () => {
    const { take, passMs, granted } = stepped(2 ** 30);
    void take("all", 2 ** 30);
    void take("again", 2 ** 30);
    await passMs(0);
    const set = mock.method(globalThis, "setTimeout");
    await passMs(50);
    assert.deepEqual([granted, set.mock.callCount()], [["all"], 0]);
    set.mock.restore();
  });

  it("leave no timer and no listener", async () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const bucket = attachBucket(makeBucket({ capacity: 10, perSecond: 1000 }));
    const abort = new AbortController();
    await Promise.all(Array.from({ length: 15 }, () => bucket.take(1, { signal: abort.signal })));
    const never = attachBucket(makeBucket({ capacity: 1, perSecond: 1e-3 }));
    await never.take();
    const left = never.take(1, { signal: AbortSignal.timeout(1) });
    await assert.rejects(left, { name: "TimeoutError" });
    const waiting = Promise.all(Array.from({ length: 15 }, () => bucket.take(10, { signal: abort.signal })));
    assert.equal(getEventListeners(abort.signal, "abort").length, 1);
    abort.abort();
    await assert.rejects(waiting, { name: "AbortError" });
    assert.equal(getEventListeners(abort.signal, "abort").length, 0);
    const after = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    assert.equal(after, before);
  });
});

itRefusesAsWritten(
  "limits: what is outside the ranges",
  new URL("testdata/refusals.txt", import.meta.url),
  () => {
    const instance = makeBucket({ capacity: 2, perSecond: 1, workers: 2 });
    const bucket = attachBucket(instance, 1);
    return { makeBucket, attachBucket, instance, bucket, json: JSON.parse(JSON.stringify(instance)) };
  },
);
