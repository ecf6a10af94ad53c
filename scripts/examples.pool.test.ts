import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inTurn, poolOf } from "../examples/piscina/pool.ts";

const TASK = fileURLToPath(new URL("../examples/piscina/worker.ts", import.meta.url));
const BACKENDS = 4;
const THREADS = 2;

type Answer = Awaited<ReturnType<typeof import("../examples/piscina/worker.ts")["default"]>>;

describe("the pool of the example", () => {
  const pool = poolOf(TASK, BACKENDS, THREADS);
  after(() => pool.destroy());
  const answers = async (count: number): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, () => pool.run({})));
  const requestsBy = (given: readonly Answer[]) =>
    Array.from({ length: BACKENDS }, (_, backend) => given.filter((one) => one.backend === backend).length);

  it("sends as many requests to each backend, by all its threads", async () => {
    const given = await answers(25 * BACKENDS);
    assert.deepEqual(requestsBy(given), [25, 25, 25, 25]);
  });

  it("goes on where threads were ended, whose seats others take", async () => {
    for (let ended = 0; ended < 3 * THREADS; ended++) {
      const [thread] = pool.threads;
      const exited = once(thread!, "exit");
      await thread!.terminate();
      await exited;
      const given = await answers(BACKENDS);
      assert.deepEqual(requestsBy(given), [1, 1, 1, 1]);
    }
  });
});

describe("turns of a pool's threads", () => {
  /** The threads that tasks go to, by what each thread is doing. */
  const given = (usages: readonly number[], tasks: number, isAbortable = false): number[] => {
    const balance = inTurn(usages.length, 2) as (
      task: { readonly isAbortable: boolean },
      workers: readonly { readonly id: number; readonly currentUsage: number }[],
    ) => { readonly id: number } | null;
    const workers = usages.map((currentUsage, id) => ({ id, currentUsage }));
    return Array.from({ length: tasks }, () => balance({ isAbortable }, workers)?.id ?? -1);
  };

  it("give each thread as many tasks", () => {
    const tasks = given([0, 1, 0], 30);
    assert.deepEqual(
      [0, 1, 2].map((thread) => tasks.filter((one) => one === thread).length),
      [10, 10, 10],
    );
  });

  it("leave out threads that are full, and one that runs a task beside which no other may be", () => {
    assert.deepEqual(new Set(given([2, 1, Number.POSITIVE_INFINITY], 10)), new Set([1]));
    assert.deepEqual(given([2, 2], 3), [-1, -1, -1]);
  });

  it("give a task that can be aborted to an idle thread only", () => {
    assert.deepEqual(new Set(given([1, 0, 1], 10, true)), new Set([1]));
  });
});
