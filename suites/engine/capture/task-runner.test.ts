import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../golden.trials.ts";
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

/** Operations that say what is done; each hook and each call of the slow ones ends a turn after it has begun. */
const slowly = (log: string[]) => async (what: string) => {
  log.push(`${what} begins`);
  await Promise.resolve();
  log.push(`${what} ends`);
};

/** What is said where batches of 1, 3 and 2 are run, or of one each where there are hooks. */
async function said(make: typeof runnerOf | typeof asyncRunnerOf, operation: (log: string[]) => Operation) {
  const log: string[] = [];
  const runner = make(operation(log));
  const law = await runBatches(runner, runner.mostOperations === 1 ? [1, 1] : [1, 3, 2]);
  assert.equal(law, undefined);
  return [
    `at most ${runner.mostOperations ?? "any number"}; ${runner.prepare ? "prepared" : "at once"}`,
    ...log,
  ];
}

describe("a task's runner", () => {
  const OPERATIONS: Readonly<Record<string, (log: string[]) => Operation>> = {
    plain: (log) => ({ run: (...given) => log.push(`run ${JSON.stringify(given)}`) }),
    ...Object.fromEntries(
      [1, 2, 3].map((count) => [
        `${count} parameters`,
        (log: string[]) => ({
          run: (...given: unknown[]) => log.push(`run ${given}`),
          parameters: Array.from({ length: count }, (_, place) => () => {
            log.push(`make ${place}`);
            return log.length;
          }),
        }),
      ]),
    ),
    hooks: (log) => ({
      run: () => log.push("run"),
      beforeEach: () => void log.push("before"),
      afterEach: () => void log.push("after"),
    }),
  };
  const SLOW: typeof OPERATIONS = {
    slow: (log) => ({ run: () => slowly(log)("run") }),
    "slow, with slow hooks": (log) => ({
      run: () => slowly(log)("run"),
      beforeEach: () => slowly(log)("before"),
      afterEach: () => slowly(log)("after"),
    }),
  };

  it("calls it for each operation, with arguments made before the batch, and hooks around it, each awaited", async (test) => {
    const texts: Record<string, string> = {};
    for (const [name, make, operations] of [
      ["runnerOf", runnerOf, OPERATIONS],
      ["asyncRunnerOf", asyncRunnerOf, { ...OPERATIONS, ...SLOW }],
    ] as const)
      for (const [kind, operation] of Object.entries(operations))
        texts[`${name}: ${kind}`] = `${(await said(make, operation)).join("\n")}\n`;
    goldenCases(test, "testdata/task-runner.md", texts);
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
