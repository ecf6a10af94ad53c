import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AsyncRunner } from "../../race.ts";
import type { Region } from "../../words/layout.ts";
import { AsyncSliceRunner } from "./async-slices.ts";
import { isAtRest, makeGate, NOTHING, openGate, Result, resultsOf, serveSliceAsync } from "./gate.ts";
import { SpeedTag } from "./tag.ts";

const ORDER = { sliceUs: 200, rampUs: 50, calibrating: false, together: true, account: true };
const tag = new SpeedTag();

/** Orders a slice and serves it, on this thread. */
async function runSlice(gate: Region, worker: AsyncSliceRunner, order = ORDER): Promise<Float64Array> {
  openGate(gate, order);
  const run = async () => assert.deepEqual(await worker.runSlice(), { account: order.account });
  await serveSliceAsync(gate, 0, { enter: () => NOTHING, run, leave() {} });
  assert.ok(isAtRest(gate));
  return resultsOf(gate, 0);
}

/** Counts; an operation ends in a later microtask. */
class Counting implements AsyncRunner {
  operations = 0;
  running = 0;
  async runAsync(operations: number): Promise<number> {
    assert.equal(this.running++, 0);
    for (let done = 0; done < operations; done++) {
      await Promise.resolve();
      this.operations++;
    }
    this.running--;
    return operations;
  }
}

describe("slices of operations that return promises", () => {
  it("count what has ended, in the window and around it", async () => {
    const gate = makeGate(1);
    const runner = new Counting();
    const worker = new AsyncSliceRunner(runner, gate, 0, tag);
    let total = 0;
    for (let slice = 0; slice < 3; slice++) {
      const results = await runSlice(gate, worker);
      total += results[Result.operationsWithRamps]!;
      assert.ok(results[Result.operations]! >= 1);
      assert.ok(results[Result.operations]! < results[Result.operationsWithRamps]!);
      assert.ok(results[Result.endNs]! >= 1000 * ORDER.sliceUs);
    }
    assert.equal(total, runner.operations);
    assert.equal(worker.totalOperations, total);
    assert.equal(worker.checksum, total);
  });

  it("find the batch that is long enough", async () => {
    const gate = makeGate(1);
    const worker = new AsyncSliceRunner(new Counting(), gate, 0, tag);
    const results = await runSlice(gate, worker, { ...ORDER, sliceUs: 5_000, calibrating: true });
    assert.ok(results[Result.batch]! > 1);
    const limited: AsyncRunner = { mostOperations: 1, runAsync: async () => 0 };
    const single = makeGate(1);
    const most = await runSlice(single, new AsyncSliceRunner(limited, single, 0, tag), {
      ...ORDER,
      calibrating: true,
    });
    assert.equal(most[Result.batch], 1);
  });

  it("await what prepares a batch, and leave its time out", async () => {
    const gate = makeGate(1);
    const log: string[] = [];
    const worker = new AsyncSliceRunner(
      {
        async prepare() {
          log.push("begins");
          await Promise.resolve();
          log.push("ends");
        },
        async runAsync() {
          log.push("runs");
          return 0;
        },
      },
      gate,
      0,
      tag,
    );
    const results = await runSlice(gate, worker);
    assert.deepEqual(log.slice(0, 6), ["begins", "ends", "runs", "begins", "ends", "runs"]);
    assert.ok(results[Result.preparingNs]! > 0);
  });

  it("run extra work that they do not count", async () => {
    const gate = makeGate(1);
    const runner = new Counting();
    const worker = new AsyncSliceRunner(runner, gate, 1, tag);
    const results = await runSlice(gate, worker, { ...ORDER, rampUs: 0 });
    // The ramp is one batch, of one operation and one more.
    assert.equal(results[Result.operationsWithRamps], 2 + 2 * results[Result.operations]!);
  });

  it("reject with what an operation throws", async () => {
    const gate = makeGate(1);
    const runner = { runAsync: () => Promise.reject(new Error("no more")) };
    await assert.rejects(runSlice(gate, new AsyncSliceRunner(runner, gate, 0, tag)), { message: "no more" });
  });
});
