import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelOf } from "../task.ts";
import { assertListed, operated } from "./bench-file.synthetic.ts";

const IMPORTED = `import { B, baseline, bench, boxplot, compact, do_not_optimize, flags, group, lineplot, measure, run, summary } from "mitata";`;

const labels = async (text: string) => (await operated(text)).tasks.map(labelOf);

const FORMS = [
  { form: "an import by name", start: `import { bench, group, run } from "mitata";` },
  {
    form: "an import of all",
    start: `import * as mitata from "mitata"; const { bench, group, run } = mitata;`,
  },
  { form: "require", start: `const { bench, group, run } = require("mitata");`, extension: "cjs" as const },
];

describe("a file of mitata", () => {
  for (const { form, start, extension } of FORMS) {
    it(`is listed by ${form}, in the order of its benchmarks`, async () => {
      const text = `${start}
        bench("noop", () => 0);
        group("text", () => { bench("a/b", () => 1).highlight("red").gc("inner").compact(); bench(function named() { return 2; }); });
        run({ format: "quiet" }).then(({ benchmarks }) => { throw new Error(benchmarks); });`;
      await assertListed(
        {
          noop: 0,
          "text / a/b": 1,
          "text / named": 2,
        },
        text,
        extension ? { extension } : {},
      );
    });
  }

  it("makes a task of each run of a benchmark with arguments, named by them", async () => {
    const text = `${IMPORTED}
      const got = (state) => state.get("size") ?? state.get("x") ?? [state.get("n"), state.get("ms")].join();
      function* work(state) { const found = got(state); yield () => found; }
      bench("range $size", work).range("size", 1, 100);
      bench("dense $size", work).dense_range("size", 7, 10, 2);
      bench("list $x", work).args([5, "$&"]);
      bench("$n x $ms", work).args({ ms: [1], n: [10, 20] }).args("ms", [3, 4]);
      bench("before", work).args("size", [1]).args("size", null).name("without");`;
    await assertListed(
      {
        "range 1": 1,
        "range 8": 8,
        "range 64": 64,
        "range 100": 100,
        "dense 7": 7,
        "dense 9": 9,
        "dense 10": 10,
        "list 5": 5,
        "list $&": "$&",
        "10 x 3": "10,3",
        "10 x 4": "10,4",
        "20 x 3": "20,3",
        "20 x 4": "20,4",
        without: ",",
      },
      text,
    );
  });

  it("runs a generator's set-up when its task is opened, and makes arguments for each operation", async () => {
    const text = `${IMPORTED}
      bench("plain", function* () { log.push("set-up"); yield () => "work"; log.push("clean-up"); });
      bench("async", async function* () { await null; yield async () => "awaited"; });
      let made = 0;
      bench("parameters", function* (state) {
        yield { [0]() { return ++made; }, [1]: () => "second", bench(first, second) { do_not_optimize(first); return [first, second]; } };
      });
      log.push("imported");`;
    const { results, log } = await operated(text);
    assert.deepEqual(results, ["work", "awaited", [1, "second"]]);
    assert.deepEqual(log, ["imported", "set-up"]);
  });

  it("knows groups with names and keeps those without apart, synchronous or not", async () => {
    const text = `${IMPORTED}
      summary(() => boxplot(() => bench("a", () => {})));
      lineplot(() => bench("b", () => {}));
      compact(() => bench("c", () => {}));
      for (const name of ["d", "e"]) group(name, async () => { bench(name, () => {}); });
      await group("f", async () => { await import("node:os"); bench("f", () => {}); });
      await summary(async () => { await null; await group({ name: "g", summary: false }, async () => bench("g", () => {})); });
      await run();`;
    assert.deepEqual(await labels(text), [
      "a",
      "lineplot 2 / b",
      "bench 2 / c",
      "d / d",
      "e / e",
      "f / f",
      "g / g",
    ]);
  });

  it("knows the baseline by either form", async () => {
    const text = `${IMPORTED}
      bench("a", () => {}); bench("b", () => {}).baseline(); baseline("c", () => {}); bench("d", () => {}).baseline(true).baseline(false);
      log.push(flags.baseline);`;
    const { tasks, log } = await operated(text);
    assert.deepEqual(
      tasks.map(({ isBaseline }) => isBaseline),
      [false, true, true, false],
    );
    assert.deepEqual(log, [2]);
  });

  it("lists further benchmarks behind a run that a file goes on after, whatever it reads", async () => {
    const text = `${IMPORTED}
      bench("first", () => {});
      const { benchmarks, context } = await run();
      log.push(\`\${benchmarks.map((one) => one.runs[0].stats.avg.toFixed(2))} \${context.cpu.name}\`, benchmarks[0].runs[0].stats.avg < 1);
      for (const _ of benchmarks) log.push("an element");
      bench("second", () => {});
      await run();`;
    assert.deepEqual(await labels(text), ["first"]);
    const { tasks, log } = await operated(text, { ending: "go-on" });
    assert.deepEqual(tasks.map(labelOf), ["first", "second"]);
    assert.deepEqual(log, ["NaN NaN", false]);
  });

  it("refuses what only mitata can time", async () => {
    const refusal = "loops over mitata's state itself, which only mitata can time";
    const text = `${IMPORTED} bench("loop", (state) => { for (const _ of state); }); bench("other", () => 1);`;
    await assertListed({ loop: refusal, other: 1 }, text);
    const failures = {
      "yield { manual: () => 1 }": /^Error: times itself \(manual\)$/,
      "yield { concurrency: 4, bench() {} }": /^Error: runs 4 operations at a time \(concurrency\)$/,
      "yield 1": /^Error: its generator yields no function to run$/,
      "": /^Error: its generator yields nothing to run$/,
      "yield { [0]: async () => 1, bench(first) {} }": /^Error: makes its arguments asynchronously$/,
    };
    for (const [body, failure] of Object.entries(failures)) {
      await assert.rejects(operated(`${IMPORTED} bench("a", function* () { ${body}; });`), failure);
    }
    await assert.rejects(
      operated(`${IMPORTED} bench("a", "b");`),
      /: TypeError: expected iterator, generator .*file\.bench\.mjs:\d+\)$/,
    );
  });

  it("refuses a file that uses it as a library, unless it has tasks", async () => {
    for (const [use, name] of [
      ["await measure(() => 1);", "measure()"],
      [`await new B("a", () => 1).range("n", 1, 8).run();`, "B.run()"],
    ] as const) {
      const reason = `file.bench.mjs: uses mitata's ${name}, which gives no task`;
      await assert.rejects(operated(`${IMPORTED} ${use}`), (error) => String(error).endsWith(reason));
      await assertListed({ task: 1 }, `${IMPORTED} bench("task", () => 1); ${use}`);
    }
  });
});
