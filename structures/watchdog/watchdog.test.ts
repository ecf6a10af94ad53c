import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import type { Fault } from "../shared/faults.ts";
import { freeSeat } from "../shared/instance.ts";
import { faultsBreakLaws } from "../shared/law-tests.ts";
import { mutatedModule } from "../shared/mutated.ts";
import { stackOf } from "./parts/stacks.ts";
import { told } from "./parts/told.ts";
import { Watch } from "./parts/watch.ts";
import { BEAT, Beating, HANGS, HUNG_MS } from "./parts/words.ts";
import { examined, type Watching } from "./watchdog.examination.ts";
import { attachWatchdog, makeWatchdog, watchdogText, watchLoops } from "./watchdog.instance.ts";
import * as laws from "./watchdog.laws.ts";
import { exploreLooks, modelLaws } from "./watchdog.model.ts";

/** The watchdog with a fault in one of its files. */
async function faulty(fault: Fault): Promise<Watching> {
  const file = new URL(`../${fault.in}`, import.meta.url).href;
  return { Watch, Beating, ...(await mutatedModule<Partial<Watching>>(file, ...fault.edits)) };
}

describe("watchdog: in times that are played", () => {
  it("the laws hold", () => assert.deepEqual(examined(), []));

  faultsBreakLaws(new URL("testdata/mutants.txt", import.meta.url), laws, async (fault) =>
    examined(await faulty(fault)),
  );
});

describe("watchdog: in every interleaving of a loop, a look and the time", () => {
  it("the laws hold", () => assert.deepEqual(exploreLooks(), []));

  faultsBreakLaws(new URL("testdata/model-faults.txt", import.meta.url), modelLaws, async (fault) =>
    exploreLooks(await faulty(fault)),
  );
});

describe("watchdog: at its doors", () => {
  it("beats into shared memory, until it is stopped", (context) => {
    context.mock.timers.enable({ apis: ["setInterval"] });
    const watchdog = makeWatchdog({ loops: 2 });
    const loop = attachWatchdog(structuredClone(watchdog), 1, { everyMs: 50 });
    const beats = () => watchdog.memory[watchdog.memory.length / 2 + BEAT];
    context.mock.timers.tick(149);
    assert.equal(beats(), 2);
    loop.beat();
    assert.equal(beats(), 3);
    const listeners = process.listenerCount("exit");
    loop.stop();
    assert.equal(process.listenerCount("exit"), listeners - 1);
    context.mock.timers.tick(1000);
    assert.equal(beats(), 3);
    assert.throws(() => attachWatchdog(watchdog, 1), /^Error: seat 1 is taken/);
    freeSeat(watchdog, 1);
    attachWatchdog(watchdog, 1).stop();
  });

  it("says of a hang when it began and that it is over, in this order, and counts it", async (context) => {
    context.mock.timers.enable({ apis: ["setInterval", "Date"] });
    let nowMs = 0;
    context.mock.method(performance, "now", () => nowMs);
    const pass = (ms: number) => {
      for (let passed = 0; passed < ms; passed += 5) {
        nowMs += 5;
        context.mock.timers.tick(5);
      }
    };
    const watchdog = makeWatchdog({ loops: 1 });
    const loop = attachWatchdog(watchdog, 0, { everyMs: 3_600_000 });
    const said: unknown[] = [];
    const over = new Promise<void>((resolve) => {
      const onBack = ({ silentMs }: { readonly silentMs: number }) => {
        said.push(["back", silentMs]);
        resolve();
      };
      const end = watchLoops(watchdog, { hungMs: 100, onHung: (hang) => said.push(hang), onBack });
      pass(1005);
      assert.equal(
        watchdogText(watchdog),
        [
          "# HELP event_loop_hung_seconds for how long the event loop has hung, in s; 0 where it runs",
          "# TYPE event_loop_hung_seconds gauge",
          'event_loop_hung_seconds{loop="0"} 1',
          "# HELP event_loop_hangs_total hangs of the event loop that were seen",
          "# TYPE event_loop_hangs_total counter",
          'event_loop_hangs_total{loop="0"} 1\n',
        ].join("\n"),
      );
      loop.beat();
      pass(10);
      end();
      pass(5000);
    });
    await over;
    loop.stop();
    const hang = { loop: 0, threadId: 0, silentMs: 100, since: new Date(5) };
    assert.deepEqual(said, [{ ...hang, stackless: "it is the watching thread's own" }, ["back", 1005]]);
    assert.deepEqual([watchdog.memory[HUNG_MS], watchdog.memory[HANGS]], [0, 1]);
    assert.equal(
      told(said[0] as never),
      "event loop 0, of the main thread, has hung since 1970-01-01T00:00:00.005Z, for 100 ms\n    no stack: it is the watching thread's own\n",
    );
  });

  it("reads the stack of a worker that is inside a loop, and of none that is not there", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const source = `const gate = require("node:worker_threads").workerData;
      (function spins() { for (Atomics.store(gate, 0, 1), Atomics.notify(gate, 0);;); })();`;
    const worker = new Worker(source, { eval: true, workerData: gate });
    try {
      await Atomics.waitAsync(gate, 0, 0).value;
      const stack = await stackOf(worker.threadId, 60_000);
      assert.match(String(stack), /^ {4}at spins \(\[worker eval\]:2:\d+\)\n/);
      assert.deepEqual(await stackOf(worker.threadId + 1000, 0), {
        why: "it is inside native code, or no longer hangs",
      });
    } finally {
      await worker.terminate();
    }
  });
});

itRefusesAsWritten(
  "watchdog: what is outside the ranges",
  new URL("testdata/refusals.txt", import.meta.url),
  () => {
    const instance = makeWatchdog({ loops: 2 });
    const json = JSON.parse(JSON.stringify(instance));
    return { makeWatchdog, attachWatchdog, watchLoops, watchdogText, instance, json };
  },
);
