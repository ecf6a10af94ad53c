import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import robust from "../locks/competitors/robust-futex.ts";
import { attachLock, makeLock } from "../locks/locks.instance.ts";
import { lockAsync } from "../locks/parts/acquire.ts";
import random from "../pick/competitors/per-worker-random.ts";
import { attachPicker, makePicker } from "../pick/pick.instance.ts";
import { adopt } from "./adopt.ts";

const WORKERS = 2;
/** The seat of the worker that ends, and of the thread that goes on. */
const ENDS = 0;
const GOES_ON = 1;

function made() {
  const lock = makeLock(robust, WORKERS);
  const picker = makePicker(random, { backends: 8, workers: WORKERS });
  return { lock, picker };
}

const urls = {
  robust: import.meta.resolve("../locks/competitors/robust-futex.ts"),
  locks: import.meta.resolve("../locks/locks.instance.ts"),
  random: import.meta.resolve("../pick/competitors/per-worker-random.ts"),
  pick: import.meta.resolve("../pick/pick.instance.ts"),
};

/** A thread that attaches to both, takes the lock, and keeps it until it is terminated. */
function holder(instances: ReturnType<typeof made>): Worker {
  return new Worker(
    `const { parentPort, workerData: { urls, index, lock, picker } } = require("node:worker_threads");
    const modules = Object.entries(urls).map(async ([name, url]) => [name, await import(url)]);
    Promise.all(modules).then(Object.fromEntries).then(({ robust, locks, random, pick }) => {
      pick.attachPicker(random.default, picker, index);
      locks.attachLock(robust.default, lock, index).lock();
      parentPort.postMessage("holds it");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true, workerData: { ...instances, urls, index: ENDS } },
  );
}

describe("an adopted worker", () => {
  it("that is terminated while it holds a lock leaves lock and seats to others", async () => {
    const { lock, picker } = made();
    const worker = holder({ lock, picker });
    const seats: number[] = [];
    // Though it was there first, it finds the seats free.
    worker.once("exit", () => seats.push(lock.stamp.seats[ENDS]!, picker.stamp.seats[ENDS]!));
    assert.equal(adopt(worker, ENDS, lock, picker), worker);
    await once(worker, "message");
    const mine = attachLock(robust, lock, GOES_ON);
    assert.throws(() => attachPicker(random, picker, ENDS), /^Error: seat 0 is taken: /);
    const waiting = lockAsync(mine);
    assert.equal(mine.tryLock(), false);
    await worker.terminate();
    assert.equal(await waiting, true);
    assert.equal(mine.ownerDied, true);
    assert.deepEqual(seats, [2, 2]);
    attachLock(robust, lock, ENDS);
    attachPicker(random, picker, ENDS);
  });

  it("that has exited before is the same", async () => {
    const { lock, picker } = made();
    const worker = holder({ lock, picker });
    await once(worker, "message");
    await worker.terminate();
    const mine = attachLock(robust, lock, GOES_ON);
    assert.equal(mine.tryLock(), false);
    adopt(worker, ENDS, lock);
    assert.equal(mine.tryLock(), true);
    assert.equal(mine.ownerDied, true);
    attachLock(robust, lock, ENDS);
    assert.throws(() => attachPicker(random, picker, ENDS), /^Error: seat 0 is taken: /);
  });

  it("is refused with anything that is none, and then nothing is freed", async () => {
    const { lock, picker } = made();
    attachLock(robust, lock, ENDS);
    const worker = new Worker("", { eval: true });
    const calls: readonly [call: () => unknown, name: string, message: RegExp][] = [
      [
        () => adopt(worker, ENDS, lock, JSON.parse(JSON.stringify(picker))),
        "TypeError",
        /^this is no instance/,
      ],
      [() => adopt(worker, ENDS, lock, undefined as never), "TypeError", /^this is no instance/],
      [() => adopt(worker, WORKERS, lock), "RangeError", /^worker 2 is not an integer in 0 \.\. 1$/],
      [() => adopt(worker, undefined as never, lock), "RangeError", /^worker undefined is not/],
      [
        () => adopt(worker, ENDS, ...([] as unknown as [typeof lock])),
        "TypeError",
        /^adopt: give the instances that the worker attaches to$/,
      ],
    ];
    for (const [call, name, message] of calls) assert.throws(call, { name, message });
    for (const none of [undefined, "worker", process, new EventTarget()])
      assert.throws(() => adopt(none as never, ENDS, lock), {
        name: "TypeError",
        message: /^adopt: .+ is no Worker: give one of node:worker_threads$/,
      });
    await once(worker, "exit");
    assert.equal(lock.stamp.seats[ENDS], 1);
  });
});
