import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { freeSeat } from "../shared/instance.ts";
import backgroundReshuffle from "./competitors/background-reshuffle.ts";
import casRing from "./competitors/cas-ring.ts";
import shuffledRoundRobin from "./competitors/shuffled-round-robin.ts";
import shuffledRoundRobinMask from "./competitors/shuffled-round-robin-mask.ts";
import twoChoices from "./competitors/two-choices.ts";
import { attachPicker, makePicker, picker, startBackground } from "./pick.instance.ts";

const SETUP = { backends: 8, workers: 2, seed: 1, firstTicket: 0 };

describe("pick: a picker for one thread", () => {
  it("is what a crew of one has", () => {
    const alone = picker(shuffledRoundRobin, { backends: 8, seed: 5, firstTicket: 3 });
    const options = { backends: 8, seed: 5, firstTicket: 3, workers: 1 };
    const ofCrew = attachPicker(shuffledRoundRobin, makePicker(shuffledRoundRobin, options), 0);
    const picks = (from: typeof alone) => Array.from({ length: 40 }, () => from.pick());
    assert.deepEqual(picks(alone), picks(ofCrew));
  });

  it("begins at another backend each time, if only their number is given", () => {
    const first = new Set(Array.from({ length: 64 }, () => picker(shuffledRoundRobin, 8).pick()));
    assert.ok(first.size > 1);
    assert.ok([...first].every((backend) => backend >= 0 && backend < 8));
  });

  it("is refused as an instance is", () => {
    for (const none of [undefined, null, 0, 1.5, "8"])
      assert.throws(() => picker(casRing, none as never), {
        name: "RangeError",
        message: /^backends \S+ is not an integer in 1 \.\. 1048576$/,
      });
    assert.throws(() => picker("cas-ring" as never, 8), { name: "TypeError" });
  });
});

describe("pick: an instance", () => {
  it("is attached to by the picker that made it alone", () => {
    const message = /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/;
    assert.throws(() => attachPicker(casRing, makePicker(shuffledRoundRobin, SETUP), 0), { message });
    assert.throws(() => attachPicker(shuffledRoundRobin, makePicker(casRing, SETUP), 0), { message });
  });

  it("is for the backends and workers it was made for", () => {
    const instance = makePicker(casRing, SETUP);
    for (const [name, changed] of [
      ["backends", { backends: 16 }],
      ["workers", { workers: 3 }],
    ] as const)
      assert.throws(() => attachPicker(casRing, { ...instance, setup: { ...SETUP, ...changed } }, 0), {
        name: "RangeError",
        message: new RegExp(`^${name} \\d+ is not the \\d+ that this instance was made for: `),
      });
  });

  it("has one worker in a seat", () => {
    const instance = makePicker(casRing, SETUP);
    attachPicker(casRing, instance, 0);
    assert.throws(() => attachPicker(casRing, structuredClone(instance), 0), {
      message: /^seat 0 is taken: /,
    });
    attachPicker(casRing, structuredClone(instance), 1);
  });
});

describe("pick: an impossible setup is refused in one line", () => {
  it("invalid numbers of backends, and numbers that the picker refuses", () => {
    for (const backends of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])
      assert.throws(() => makePicker(casRing, { ...SETUP, backends }), {
        name: "RangeError",
        message: new RegExp(`^backends ${backends} is not an integer in 1 \\.\\. \\d+$`),
      });
    assert.throws(() => makePicker(shuffledRoundRobinMask, { ...SETUP, backends: 7 }), {
      name: "RangeError",
      message: /^this picker cannot serve that setup: /,
    });
  });

  it("the release of a number that is no backend, and a surplus one, which change nothing", () => {
    const instance = makePicker(twoChoices, SETUP);
    const picker = attachPicker(twoChoices, instance, 0);
    const backend = picker.pick();
    const before = twoChoices.inspect(instance.memory, instance.setup);
    for (const none of [Number.NaN, -1, 0.5, 8])
      assert.throws(() => picker.release(none), {
        name: "RangeError",
        message: `backend ${none} is not an integer in 0 .. 7`,
      });
    assert.deepEqual(twoChoices.inspect(instance.memory, instance.setup), before);
    picker.release(backend);
    assert.throws(() => picker.release(backend), {
      name: "RangeError",
      message: `backend ${backend} has no request in flight: release each pick once`,
    });
    assert.deepEqual(
      twoChoices.inspect(instance.memory, instance.setup).inFlight,
      new Array<number>(8).fill(0),
    );
  });
});

/** A worker that attaches to a ring as worker 0, posts what it picks, or why it cannot attach, and ends. */
const PICKER = `
  import { parentPort, workerData } from "node:worker_threads";
  const { default: casRing } = await import(${JSON.stringify(import.meta.resolve("./competitors/cas-ring.ts"))});
  const { attachPicker } = await import(${JSON.stringify(import.meta.resolve("./pick.instance.ts"))});
  try {
    parentPort.postMessage(attachPicker(casRing, workerData, 0).pick());
  } catch ({ message }) {
    parentPort.postMessage(message);
  }`;

describe("pick: a worker that takes over a seat", () => {
  it("is let in when the owner of the workers has heard that the one before has ended, and goes on", async () => {
    const instance = makePicker(casRing, SETUP);
    const posted = async () => {
      const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(PICKER)}`), {
        workerData: instance,
      });
      const ended = once(thread, "exit");
      const [message] = (await once(thread, "message")) as [number | string];
      await ended;
      return message;
    };
    const first = await posted();
    assert.match(String(await posted()), /^seat 0 is taken: /);
    freeSeat(instance, 0);
    const [, second] = casRing.inspect(instance.memory, instance.setup).rotation!;
    assert.equal(await posted(), second);
    assert.notEqual(first, second);
  });
});

describe("pick: the thread beside the workers", () => {
  it("is one at a time, and of the picker that made the instance", async () => {
    const instance = makePicker(backgroundReshuffle, SETUP);
    await assert.rejects(startBackground(casRing, instance), {
      message: /^this instance was made by another /,
    });
    const end = await startBackground(backgroundReshuffle, instance);
    await assert.rejects(startBackground(backgroundReshuffle, structuredClone(instance)), {
      message: "this instance has its background thread: end that before you start another",
    });
    await end();
    await (await startBackground(backgroundReshuffle, instance))();
  });
});
