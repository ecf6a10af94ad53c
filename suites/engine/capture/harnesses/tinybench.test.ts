import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelOf } from "../task.ts";
import { operated } from "./bench-file.synthetic.ts";
import { timesItself } from "./tinybench.ts";

const labels = async (...given: Parameters<typeof operated>) => (await operated(...given)).tasks.map(labelOf);

/** In the ways in which files get at the package. */
const FORMS = [
  { form: "an import by name", start: `import { Bench } from "tinybench";` },
  { form: "an import of all", start: `import tinybench from "tinybench"; const { Bench } = tinybench;` },
  { form: "require", start: `const { Bench } = require("tinybench");`, extension: "cjs" as const },
];

describe("a file of tinybench", () => {
  for (const { form, start, extension } of FORMS) {
    it(`is listed by ${form}, chained and in the order of its tasks`, async () => {
      const text = `${start}
        const bench = new Bench({ name: "text", time: 100, iterations: 10, warmupIterations: 1, throws: true });
        bench.add("split", () => 1).add("slice", () => 2, { async: false }).run().then(() => console.table(bench.table()));`;
      const { tasks, results } = await operated(text, extension ? { extension } : {});
      assert.deepEqual(tasks.map(labelOf), ["text / split", "text / slice"]);
      assert.deepEqual(results, [1, 2]);
    });
  }

  it("keeps the tasks of each Bench apart, named or not, and names as they are", async () => {
    const text = `import { Bench } from "tinybench";
      new Bench().add("a/b", () => {}).add("x~aa1@2", () => {}).add("a/b", () => {});
      new Bench().add("a/b", () => {});
      new Bench({ name: "sort" }).add("", () => {});
      new Bench({ name: "empty" });
      new Bench({ name: "sort" }).add("n", () => {});`;
    assert.deepEqual(await labels(text), [
      "a/b",
      "x~aa1@2",
      "a/b (2)",
      "bench 2 / a/b",
      "sort / ",
      "sort (2) / n",
    ]);
  });

  it("calls tasks and their hooks as tinybench does, set-up once and before the first operation", async () => {
    const text = `import { Bench } from "tinybench";
      const say = (what) => function (...given) { log.push([what, this?.name, ...given.map((one) => one?.name ?? one)]); };
      const setup = async (task, mode) => { await null; log.push(["setup", task.name, mode]); };
      const bench = new Bench({ setup, teardown: say("teardown") });
      const hooks = Object.fromEntries(["beforeAll", "beforeEach", "afterEach", "afterAll"].map((hook) => [hook, say(hook)]));
      bench.add("one", say("fn"), hooks);
      await bench.run();`;
    assert.deepEqual((await operated(text)).log, [
      ["setup", "one", "run"],
      ["beforeAll", "one", "run"],
      ["beforeEach", "one", "run"],
      ["fn", "one"],
      ["afterEach", "one", "run"],
    ]);
  });

  it("awaits an asynchronous set-up of a task, and gives an operation's promise", async () => {
    const text = `import { Bench } from "tinybench";
      let made;
      const beforeAll = async () => { await new Promise((done) => setTimeout(done, 5)); made = 7; };
      new Bench().add("later", async () => made, { beforeAll });`;
    assert.deepEqual((await operated(text)).results, [7]);
  });

  it("takes back what is removed, and has no todo", async () => {
    const text = `import { Bench } from "tinybench";
      const bench = new Bench().add("keep", () => {}).add("drop", () => {});
      bench.todo("later").remove("drop").remove("absent");
      log.push(bench.tasks.map(({ name }) => name), bench.getTask("keep").name, bench.getTask("drop"));`;
    const { tasks, log } = await operated(text);
    assert.deepEqual(tasks.map(labelOf), ["keep"]);
    assert.deepEqual(log, [["keep"], "keep", undefined]);
  });

  it("refuses tasks that time themselves, and those that no Bench has added", async () => {
    const text = `import { Bench, Task } from "tinybench";
      const bench = new Bench().add("timed", () => ({ overriddenDuration: 1 })).add("fine", () => 3);
      const task = new Task(bench, "by hand", () => {});
      log.push(bench.tasks[0] instanceof Task);
      await task.run();`;
    const { tasks, log } = await operated(text);
    assert.deepEqual(
      tasks.map(({ name, refused }) => [name, refused]),
      [
        ["timed", "times itself (overriddenDuration)"],
        ["fine", undefined],
        ["by hand", "is a Task that no Bench has added"],
      ],
    );
    assert.deepEqual(log, [true]);
    assert.ok(timesItself({ overriddenDuration: 0 }));
    for (const result of [
      undefined,
      null,
      1,
      {},
      { overriddenDuration: undefined },
      { overriddenDuration: -1 },
    ]) {
      assert.ok(!timesItself(result));
    }
  });

  const READS = `import { Bench, nToMs, hrtimeNow, now } from "tinybench";
    const bench = new Bench({ warmup: true, now: hrtimeNow, signal: new AbortController().signal });
    bench.addEventListener("cycle", ({ task, target }) => log.push(task.name, task.result.throughput.mean, target === bench));
    bench.addEventListener("complete", () => log.push("complete"));
    bench.add("first", () => {});
    await bench.warmup();
    const [task] = await bench.run();
    const { result } = task;
    log.push(result.latency.p99, result.hz, result.mean, result.rme, result.samples.length, result.totalTime, result.error);
    log.push(bench.results[0] === result, bench.table().length, bench.table(({ name }) => name), nToMs(1e6), now() > 0);
    new Bench().add("second", () => {});
    await task.run();`;

  it("stops at run, of which nothing is heard, or goes on with results that can be read", async () => {
    const paused = await operated(READS);
    assert.deepEqual([paused.tasks.map(labelOf), paused.log], [["first"], []]);
    const gone = await operated(READS, { ending: "go-on" });
    assert.deepEqual(gone.tasks.map(labelOf), ["first", "bench 2 / second"]);
    const heard = ["first", 1e6, true, "complete"];
    const read = [0.001, 1e6, 0.001, 0, 1, 0.001, undefined, true, 1, ["first"], 1, true];
    assert.deepEqual(gone.log, [...heard, ...read]);
  });

  it("goes on after runSync, which cannot wait, and is heard only where files go on", async () => {
    const text = `import { Bench } from "tinybench";
      const bench = new Bench().add("first", () => {});
      bench.addEventListener("cycle", () => log.push("cycle"));
      log.push(bench.runSync()[0].result.latency.mean);
      new Bench({ name: "more" }).add("second", () => {});`;
    const both = ["first", "more / second"];
    const paused = await operated(text);
    assert.deepEqual([paused.tasks.map(labelOf), paused.log], [both, [0.001]]);
    const gone = await operated(text, { ending: "go-on" });
    assert.deepEqual([gone.tasks.map(labelOf), gone.log], [both, ["cycle", 0.001]]);
  });
});
