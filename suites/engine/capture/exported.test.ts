import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exportedTasks, sharedWorkOf } from "./exported.ts";
import { keysOf, labelOf } from "./task.ts";

describe("a module that calls no harness", () => {
  it("is refused where it describes one test to another harness", async () => {
    const described = {
      onComplete: { name: "clone", fn: () => 1, onComplete: () => {} },
      setup: { tests: { add: { fn: () => 1, setup() {} } } },
      name: { name: "clone", fn: { a: () => 1 }, async: true },
    };
    for (const [part, object] of Object.entries(described))
      for (const module of [object, { default: object }, { bench: object }])
        await assert.rejects(exportedTasks(module), {
          message: `it exports 'fn' beside '${part}', as for another harness: export functions alone`,
        });
    assert.equal(
      (await exportedTasks({ fn: () => 1, before: 1, setup: { fn: () => 2 }, name: () => 3 })).length,
      3,
    );
  });

  it("may lead back to itself", async () => {
    const around = { task: () => 1, self: {} };
    around.self = { around };
    const tasks = await exportedTasks({ around });
    assert.deepEqual(keysOf(tasks).map(labelOf), ["around / task"]);
  });
});

describe("workers that a module exports", () => {
  const increment = (words: Int32Array, worker: { index: number }) => () => words[worker.index]!++;

  it("hand what they share to its tasks, and are none themselves", async () => {
    const workers = { counts: [1, 4], shared: () => new Int32Array(4), law: () => undefined };
    for (const module of [
      { increment, workers },
      { default: { increment, workers }, increment, workers, "module.exports": { increment, workers } },
    ]) {
      assert.equal(sharedWorkOf(module), workers);
      const [task, ...others] = await exportedTasks(module);
      assert.deepEqual(others, []);
      const words = new Int32Array(4);
      const operation = task!.open({ shared: words, worker: { index: 2, workers: 4 } as never });
      (operation as { run(): unknown }).run();
      assert.deepEqual([...words], [0, 0, 1, 0]);
    }
  });

  it("need functions that return functions", async () => {
    const [task] = await exportedTasks({ increment: () => 1, workers: { counts: [1] } });
    assert.throws(() => task!.open(), { message: /^it returns no function: / });
  });

  it("are absent from most", () => {
    assert.equal(sharedWorkOf({ default: () => {}, increment }), undefined);
  });

  it("are refused in one line where they are not well-formed", () => {
    const wrong: [unknown, string][] = [
      [[1, 4], "is no object: write { counts: [1, 4] }"],
      [null, "is no object: write { counts: [1, 4] }"],
      ...[undefined, 4, [], [0], [1.5], ["2"], [1, Number.NaN]].map((counts): [unknown, string] => [
        { counts },
        "needs counts, a list of whole numbers from 1 up, such as [1, 4]",
      ]),
      [{ counts: [1, 4, 1] }, "repeats one of its counts: write each once"],
      [{ counts: [1], count: 4 }, "has 'count': it takes counts, shared and law"],
      [{ counts: [1], shared: new Int32Array(1) }, "has a shared that is no function"],
      [{ counts: [1], law: true }, "has a law that is no function"],
    ];
    for (const [workers, reason] of wrong) {
      assert.throws(() => sharedWorkOf({ workers }), { message: `its export 'workers' ${reason}` });
    }
  });
});
