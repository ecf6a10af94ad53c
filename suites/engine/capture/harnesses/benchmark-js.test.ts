import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelOf } from "../task.ts";
import { operated } from "./bench-file.synthetic.ts";

const REQUIRED = `const Benchmark = require("benchmark");`;
const labels = async (text: string) => (await operated(text, { extension: "cjs" })).tasks.map(labelOf);

/** In the ways in which files get at the package. */
const FORMS = [
  {
    form: "an import of the whole",
    start: `import Benchmark from "benchmark"; const { Suite } = Benchmark;`,
  },
  { form: "an import by name", start: `import { Suite } from "benchmark";` },
  { form: "require", start: `const { Suite } = require("benchmark");`, extension: "cjs" as const },
  {
    form: "require, without new",
    start: `const { Suite } = require("benchmark").Benchmark;`,
    extension: "cjs" as const,
    call: "",
  },
];

describe("a file of benchmark.js", () => {
  for (const { form, start, extension, call = "new" } of FORMS) {
    it(`is listed by ${form}, chained and in the order of its tests`, async () => {
      const text = `${start}
        ${call} Suite("text", { onCycle: (event) => log.push(String(event.target)) })
          .add("split", () => 1, { minSamples: 2 })
          .add("slice", { fn: () => 2 })
          .add({ name: "sub", fn: () => 3 })
          .on("complete", function () { log.push(this.filter("fastest").map("name")); })
          .run({ async: true });`;
      const { tasks, results, log } = await operated(text, extension ? { extension } : {});
      assert.deepEqual(tasks.map(labelOf), ["text / split", "text / slice", "text / sub"]);
      assert.deepEqual(results, [1, 2, 3]);
      assert.deepEqual(log, []);
    });
  }

  it("keeps the tests of each suite apart, named or not, and those in none", async () => {
    const text = `${REQUIRED}
      new Benchmark.Suite().add("a/b", () => {}).add("x~aa1@2", () => {}).add("a/b", () => {});
      Benchmark.Suite().add("a/b", () => {});
      const alone = new Benchmark("alone", () => {});
      Benchmark(() => {}).run();
      new Benchmark.Suite("sort").push(alone, new Benchmark({ name: "pushed", fn() {} }));
      new Benchmark.Suite({ name: "sort" }).add("n", () => {});`;
    assert.deepEqual(await labels(text), [
      "a/b",
      "x~aa1@2",
      "a/b (2)",
      "suite 2 / a/b",
      "suite 3 / <Test #6>",
      "sort / alone",
      "sort / pushed",
      "sort (2) / n",
    ]);
  });

  it("calls a test on its benchmark, without arguments, and a deferred one until it resolves", async () => {
    const text = `${REQUIRED}
      new Benchmark.Suite()
        .add("plain", function (...given) { return [this instanceof Benchmark, this.name, given.length]; })
        .add("deferred", function (deferred) {
          log.push([deferred.benchmark.name, this.name]);
          setTimeout(() => { log.push("resolved"); deferred.resolve(); }, 5);
        }, { defer: true })
        .add("throws", { defer: true, fn: (deferred) => { log.push("next"); deferred.resolve(); } })
        .run();`;
    const { results, log } = await operated(text, { extension: "cjs" });
    assert.deepEqual(results, [[true, "plain", 0], undefined, undefined]);
    assert.deepEqual(log, [["deferred", "deferred"], "resolved", "next"]);
  });

  it("sets up by the listeners of start and by setup, once and before the first operation", async () => {
    const text = `${REQUIRED}
      const suite = new Benchmark.Suite("s", { onStart() { log.push(["suite", this.name]); } });
      suite.add("one", function () { return [this.made, log.push("one")]; }, {
        onStart() { log.push(["start", this.name]); },
        setup() { this.made = 7; },
        teardown() { this.made = 0; },
      });
      suite.add("two", () => 2).run();`;
    const { tasks, results, log } = await operated(text, { extension: "cjs" });
    assert.deepEqual(
      tasks.map(({ refused }) => refused),
      [undefined, undefined],
    );
    assert.deepEqual(log, [["suite", "s"], ["start", "one"], "one"]);
    assert.deepEqual(results, [[7, 3], 2]);
  });

  it("refuses what benchmark.js compiles from text: strings, and set-up that shares a name with its test", async () => {
    const text = `${REQUIRED}
      const add = (name, fn, options) => suite.add(name, fn, options);
      const suite = new Benchmark.Suite();
      add("fn", "[3, 1].sort()");
      add("setup", () => 1, { setup: "var list = []" });
      add("toString", Object.assign(() => 1, { toString: () => "2" }));
      add("shares", () => list.sort(), { setup() { var list = [3, 1]; } });
      add("spreads", () => [...list], { setup: function () { list = [3, 1]; } });
      add("takes down", () => list.sort(), { teardown: () => { list.length = 0; } });
      add("a property", function () { return this.list; }, { setup() { this.list = [3, 1]; } });
      add("its own", () => [3, 1].sort(), { setup() { const list = new Array(1); for (const one of list) void one; } });
      add("empty", () => 1, { setup: function () {}, teardown() {} });
      Benchmark.prototype.setup = function () { list = []; };
      add("of all", () => list.sort());
      add("not this", () => 1);`;
    const { tasks } = await operated(text, { extension: "cjs" });
    const asText = "is given as text, which only benchmark.js compiles";
    const shares = "setup shares variables with its test by decompilation (benchmark.js)";
    assert.deepEqual(
      tasks.map(({ name, refused }) => [name, refused]),
      [
        ["fn", asText],
        ["setup", asText],
        ["toString", asText],
        ["shares", shares],
        ["spreads", shares],
        ["takes down", shares],
        ["a property", undefined],
        ["its own", undefined],
        ["empty", undefined],
        ["of all", shares],
        ["not this", undefined],
      ],
    );
  });

  const READS = `${REQUIRED}
    Benchmark.options.minSamples = 500;
    const suite = new Benchmark.Suite({ onError: () => log.push("error") });
    suite.add("first", () => {}).add("again", () => {});
    suite.on("start cycle", ({ type, target, currentTarget }) => log.push([type, target.name, currentTarget === suite]));
    suite.on("cycle", ({ target }) => log.push(String(target)));
    suite.on("complete", function () { log.push(String(this.filter("fastest").map("name"))); });
    suite.on("complete", () => { new Benchmark.Suite("next").add("second", () => {}).run(); });
    suite.run();
    const { hz, stats, times } = suite[0];
    log.push([hz, stats.mean, stats.rme, stats.sample.length, times.period, suite.length, suite.filter("slowest")[0].name]);
    log.push([suite.map((one) => one.id), suite.slice(1).length, suite.reduce((sum, one) => sum + one.hz, 0)]);
    suite.forEach(({ name }) => log.push(name));
    log.push([Benchmark.formatNumber(1e6), Benchmark.platform.name, Benchmark.version, Benchmark.support.decompilation]);`;

  it("hears nothing of run, or all of it in order with results that can be read, and goes on either way", async () => {
    const read = [
      [1e6, 1e-6, 0, 5, 1e-6, 2, "first"],
      [[1, 2], 1, 2e6],
      "first",
      "again",
      ["1,000,000", "Node.js", "2.1.4", true],
    ];
    const paused = await operated(READS, { extension: "cjs" });
    // Opening the tasks is what starts the suite.
    assert.deepEqual(paused.tasks.map(labelOf), ["first", "again"]);
    assert.deepEqual(paused.log, [...read, ["start", "first", true]]);
    const gone = await operated(READS, { extension: "cjs", ending: "go-on" });
    assert.deepEqual(gone.tasks.map(labelOf), ["first", "again", "next / second"]);
    const line = (name: string) => `${name} x 1,000,000 ops/sec ±0.00% (5 runs sampled)`;
    assert.deepEqual(gone.log, [
      ["start", "first", true],
      ["cycle", "first", true],
      line("first"),
      ["cycle", "again", true],
      line("again"),
      "first,again",
      ...read,
    ]);
  });

  it("lists files that wait for complete, and calls it after the file itself where run is asynchronous", async () => {
    const text = `import { Suite } from "benchmark";
      const suite = new Suite("first");
      await new Promise((done) => suite.add("one", () => {}).on("complete", done).run());
      new Suite("next").add("late", () => {}).on("complete", () => log.push(declared)).run({ async: true });
      const declared = "after run";`;
    const paused = await operated(text);
    assert.deepEqual([paused.tasks.map(labelOf), paused.log], [["first / one"], []]);
    const gone = await operated(text, { ending: "go-on" });
    assert.deepEqual([gone.tasks.map(labelOf), gone.log], [["first / one", "next / late"], ["after run"]]);
  });

  it("is heard of one benchmark alone, and by listeners that were not taken away", async () => {
    const text = `${REQUIRED}
      const heard = ({ type, target }) => log.push([type, target.name]);
      const one = new Benchmark("one", () => {}, { onCycle: heard, onComplete: heard });
      one.on("start cycle", heard).off("cycle", heard).run();
      Benchmark.invoke([one.clone({ name: "two" })], "run");`;
    const { tasks, log } = await operated(text, { extension: "cjs", ending: "go-on" });
    assert.deepEqual(tasks.map(labelOf), ["one", "two"]);
    assert.deepEqual(log, [
      ["start", "one"],
      ["cycle", "one"],
      ["complete", "one"],
      ["cycle", "two"],
      ["complete", "two"],
    ]);
  });
});
