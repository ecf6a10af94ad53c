import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import backgroundReshuffle from "./competitors/background-reshuffle.ts";
import casRing from "./competitors/cas-ring.ts";
import shuffledRoundRobin from "./competitors/shuffled-round-robin.ts";
import shuffledRoundRobinMask from "./competitors/shuffled-round-robin-mask.ts";
import twoChoices from "./competitors/two-choices.ts";
import { attachPicker, makePicker, picker as pickerOf, startBackground } from "./pick.instance.ts";

const SETUP = { backends: 8, workers: 2, seed: 1, firstTicket: 0 };

describe("pick: a picker for one thread", () => {
  it("is what a crew of one has", () => {
    const alone = pickerOf(shuffledRoundRobin, { backends: 8, seed: 5, firstTicket: 3 });
    const options = { backends: 8, seed: 5, firstTicket: 3, workers: 1 };
    const ofCrew = attachPicker(shuffledRoundRobin, makePicker(shuffledRoundRobin, options), 0);
    const picks = (from: typeof alone) => Array.from({ length: 40 }, () => from.pick());
    assert.deepEqual(picks(alone), picks(ofCrew));
  });

  it("begins at another backend each time, if only their number is given", () => {
    const first = new Set(Array.from({ length: 64 }, () => pickerOf(shuffledRoundRobin, 8).pick()));
    assert.ok(first.size > 1);
    assert.ok([...first].every((backend) => backend >= 0 && backend < 8));
  });
});

describe("pick: an instance refuses in one line", () => {
  const instance = makePicker(twoChoices, SETUP);
  const picker = attachPicker(twoChoices, instance, 0);
  const inFlight = () => twoChoices.inspect(instance.memory, instance.setup).inFlight;

  itRefusesAsWritten("what is not for it", new URL("testdata/refusals.txt", import.meta.url), () => ({
    ...{ picker: pickerOf, makePicker, attachPicker, casRing, shuffledRoundRobin, shuffledRoundRobinMask },
    ...{ twoChoices, SETUP, instance, one: picker, ring: makePicker(casRing, SETUP) },
    changed: (setup: object) => ({ ...makePicker(casRing, SETUP), setup: { ...SETUP, ...setup } }),
  }));

  it("a surplus release, and changes nothing", () => {
    assert.deepEqual(inFlight(), new Array<number>(8).fill(0));
    const backend = picker.pick();
    picker.release(backend);
    assert.throws(
      () => picker.release(backend),
      /^RangeError: backend \d has no request in flight: release each /,
    );
    assert.deepEqual(inFlight(), new Array<number>(8).fill(0));
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
