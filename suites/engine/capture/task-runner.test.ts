import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AsyncRunner, Runner } from "../race.ts";
import { separate } from "../words/layout.ts";
import { EMPTY_ASYNC_TASK, EMPTY_TASK } from "./address.ts";
import lab from "./lab.ts";
import type { Operation } from "./task.ts";
import taskRace from "./task-race.ts";
import { asyncRunnerOf, countsCalls, runnerOf, UnexpectedPromise } from "./task-runner.ts";

/** Runs batches of these sizes, as a worker does; returns what the law says of the work. */
async function runBatches(
  runner: Runner | AsyncRunner,
  sizes: readonly number[],
): Promise<string | undefined> {
  let operations = 0;
  for (const size of sizes) {
    await runner.prepare?.(size);
    if ("runAsync" in runner) await runner.runAsync(size);
    else runner.run(size);
    operations += size;
  }
  return countsCalls([{ operations, counters: runner.counters!() }]);
}

const BATCHES = [1, 3, 2];

describe("a task's runner", () => {
  for (const [name, make] of Object.entries({ runnerOf, asyncRunnerOf })) {
    it(`${name}: calls it once for each operation, without arguments`, async () => {
      const given: unknown[][] = [];
      const run = (...values: unknown[]) => given.push(values);
      assert.equal(await runBatches(make({ run }), BATCHES), undefined);
      assert.deepEqual(given, [[], [], [], [], [], []]);
    });

    for (const parameters of [1, 2, 3]) {
      it(`${name}: makes ${parameters} arguments anew for each operation, before its batch`, async () => {
        const log: string[] = [];
        let made = 0;
        const operation: Operation = {
          run: (...values) => log.push(`run ${values}`),
          parameters: Array.from({ length: parameters }, () => () => {
            log.push("make");
            return made++;
          }),
        };
        assert.equal(await runBatches(make(operation), [2, 1]), undefined);
        const makes = (operations: number) => new Array<string>(operations * parameters).fill("make");
        const runs = [0, 1, 2].map(
          (place) => `run ${Array.from({ length: parameters }, (_, index) => place * parameters + index)}`,
        );
        assert.deepEqual(log, [...makes(2), runs[0], runs[1], ...makes(1), runs[2]]);
      });
    }

    it(`${name}: runs hooks around each operation, outside of its batch`, async () => {
      const log: string[] = [];
      const runner = make({
        run: () => log.push("run"),
        beforeEach: () => void log.push("before"),
        afterEach: () => void log.push("after"),
      });
      assert.equal(runner.mostOperations, 1);
      await runBatches(runner, [1, 1]);
      assert.deepEqual(log, ["before", "run", "after", "before", "run"]);
    });

    it(`${name}: prepares nothing where there is nothing to prepare`, () => {
      const runner = make({ run: () => undefined });
      assert.equal(runner.prepare, undefined);
      assert.equal(runner.mostOperations, undefined);
    });
  }

  it("awaits each operation and each hook before what comes next", async () => {
    const log: string[] = [];
    const slowly = async (what: string) => {
      log.push(`${what} begins`);
      await Promise.resolve();
      log.push(`${what} ends`);
    };
    const runner = asyncRunnerOf({
      run: () => slowly("run"),
      beforeEach: () => slowly("before"),
      afterEach: () => slowly("after"),
    });
    await runBatches(runner, [1, 1]);
    const parts = ["before", "run", "after", "before", "run"];
    assert.deepEqual(
      log,
      parts.flatMap((part) => [`${part} begins`, `${part} ends`]),
    );
    log.length = 0;
    await runBatches(asyncRunnerOf({ run: () => slowly("run") }), [2]);
    assert.deepEqual(log, ["run begins", "run ends", "run begins", "run ends"]);
  });

  it("refuses a promise where none is awaited", () => {
    const promising = () => Promise.resolve();
    assert.throws(() => runnerOf({ run: promising }).run(3), UnexpectedPromise);
    assert.throws(() => runnerOf({ run() {}, beforeEach: promising }).prepare!(1), UnexpectedPromise);
    const after = runnerOf({ run() {}, afterEach: promising });
    after.prepare!(1);
    assert.throws(() => after.prepare!(1), UnexpectedPromise);
  });

  it("is found out where it calls less often than is counted", () => {
    const runner = runnerOf({ run() {} });
    runner.run(3);
    assert.equal(
      countsCalls([{ operations: 4, counters: runner.counters!() }]),
      "countsCalls: 4 operations are counted, and 3 calls were made",
    );
  });
});

describe("the race of tasks", () => {
  const setup = { params: undefined, workers: 1, seed: 1, fork: 0 };
  const work = (operations: number, calls: number) => [
    { role: "worker", operations, checksum: 0, counters: { calls } },
  ];

  it("has no number for a task that was called less often than is counted", () => {
    const lawOf = (task: unknown, calls: number) => taskRace.law(task, setup, "shared", work(4, calls));
    assert.equal(lawOf({}, 4), undefined);
    const missed = "countsCalls: 4 operations are counted, and 3 calls were made";
    assert.equal(lawOf({}, 3), missed);
    const own = {
      law: (shared: unknown, [done]: ReturnType<typeof work>) => `${shared}: ${done!.operations}`,
    };
    assert.equal(lawOf({ workers: own }, 4), "shared: 4");
    assert.equal(lawOf({ workers: own }, 3), missed);
  });

  it("has an empty task for each of its loops", async () => {
    const empty = await lab.load(EMPTY_TASK, separate, 1);
    assert.deepEqual([empty.isAsync, empty.operation!.run()], [false, undefined]);
    const awaited = await lab.load(EMPTY_ASYNC_TASK, separate, 1);
    assert.equal(awaited.isAsync, true);
    assert.ok(awaited.operation!.run() instanceof Promise);
  });
});
