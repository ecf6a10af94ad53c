import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { labelOf } from "../task.ts";
import { assertListed, operated } from "./bench-file.synthetic.ts";

const IMPORTED = `import { afterAll, afterEach, aroundEach, assert, beforeAll, beforeEach, bench, describe, expect, it, test, vi } from "vitest";`;

const labels = async (text: string) => (await operated(IMPORTED + text)).tasks.map(labelOf);

const FORMS = [
  { form: "an import by name", start: `import { bench, describe } from "vitest";` },
  {
    form: "an import of all",
    start: `import * as vitest from "vitest"; const { bench, describe } = vitest;`,
  },
  { form: "require", start: `const { bench, describe } = require("vitest");`, extension: "cjs" as const },
];

describe("a file of vitest bench", () => {
  for (const { form, start, extension } of FORMS) {
    it(`is listed by ${form}, in the order of its benchmarks`, async () => {
      const text = `${start}
        bench("a/b", () => 0, { time: 10, iterations: 5, warmupIterations: 1 });
        describe("text", () => { bench("split", () => 1); bench(function named() {}, async () => 2); });
        describe("text", { timeout: 5 }, () => { bench("split", () => 3); });`;
      await assertListed(
        {
          "a/b": 0,
          "text / split": 1,
          "text / named": 2,
          "text / split (2)": 3,
        },
        text,
        extension ? { extension } : {},
      );
    });
  }

  it("runs bodies of groups in turn once it is imported, the inner ones after their outer one", async () => {
    const text = `
      describe("first", async () => {
        describe("inner", () => bench("b", () => {}));
        await import("node:os");
        bench("a", () => later);
      });
      describe("second", () => { describe("", () => bench("d", () => {})); bench("c", () => {}); });
      await null;
      const later = await Promise.resolve(1);`;
    assert.deepEqual(await labels(text), ["first / a", "first / inner / b", "second / c", "second / d"]);
  });

  it("fails as a group's body does", async () => {
    const text = `${IMPORTED} describe("a", async () => { await null; throw new RangeError("no"); }); bench("b", () => {});`;
    await assert.rejects(operated(text), /: RangeError: no \(.*file\.bench\.mjs:1\)$/);
  });

  it("leaves out what is to be skipped or done later", async () => {
    const text = `
      bench.skip("a", () => {}); bench.todo("b"); bench("c"); bench.skipIf(true)("d", () => {}); bench.runIf(false)("e", () => {});
      describe.skip("f", () => bench("f", () => {})); describe.todo("g"); describe("h", { skip: true }, () => bench("h", () => {}));
      describe.skipIf(true).each([1])("i", () => bench("i", () => {}));
      bench.skipIf(false)("kept", () => {}); bench.runIf(true)("kept", () => {});
      for (const form of ["concurrent", "sequential", "shuffle"]) describe[form](form, () => bench("kept", () => {}));
      it("asserts", () => { expect(1).toBe(2); assert.equal(1, 2); bench("within", () => {}); });`;
    assert.deepEqual(await labels(text), [
      "kept",
      "kept (2)",
      "concurrent / kept",
      "sequential / kept",
      "shuffle / kept",
    ]);
  });

  it("has only what is to be the only one, and all of such a group", async () => {
    const text = `
      bench("a", () => {});
      describe("b", () => { bench("b", () => {}); bench.only("c", () => {}); });
      describe.only("d", () => { bench("d", () => {}); describe("e", () => bench("e", () => {})); });
      describe("f", () => bench("f", () => {}));`;
    assert.deepEqual(await labels(text), ["b / c", "d / d", "d / e / e"]);
  });

  it("fills rows into titles and bodies", async () => {
    const text = `${IMPORTED}
      describe.each([[1, "x"], [2, "y"]])("%i of %s (%#, %$)", (...row) => bench("each", () => row));
      describe.each([{ size: 8, at: { text: "a", list: [1] } }])("$size $at.text $at.list 100%%", (row) => bench("object", () => row.size));
      describe.for([[1, 2]])("for %i", (row) => bench("row", () => row));
      describe.each\`
        a    | b
        \${1} | \${2}
        \${3} | \${4}
      \`("$a+$b", ({ a, b }) => bench("sum", () => a + b));
      describe.each([5])("%s and $0 of %s", (one) => bench("one", () => one));`;
    await assertListed(
      {
        "1 of x (0, 1) / each": [1, "x"],
        "2 of y (1, 2) / each": [2, "y"],
        "8 a [ 1 ] 100% / object": 8,
        "for 1 / row": [1, 2],
        "1+2 / sum": 3,
        "3+4 / sum": 7,
        "5 and 5 of %s / one": 5,
      },
      text,
    );
  });

  it("runs the file's beforeAll once and a benchmark's setup before it, and no other hook", async () => {
    const text = `${IMPORTED}
      const say = (what) => () => void log.push(what);
      beforeAll(async () => { await null; log.push("beforeAll"); });
      beforeEach(say("beforeEach")); afterAll(say("afterAll")); afterEach(say("afterEach"));
      describe("group", () => {
        beforeAll(say("the group's"));
        bench("a", say("a"), { setup: say("setup"), teardown: say("teardown") });
        bench("b", say("b"));
      });`;
    assert.deepEqual((await operated(text)).log, ["beforeAll", "setup", "a", "b"]);
  });

  it("keeps what a benchmark depends on of vi, and refuses what replaces modules", async () => {
    const text = `${IMPORTED}
      const { hoisted } = vi.hoisted(() => ({ hoisted: 1 }));
      const fn = vi.fn(() => 2);
      vi.fn().mockReturnValue(1).mockName("none");
      vi.stubGlobal("stubbed", 3); vi.stubEnv("STUBBED", "4");
      vi.useFakeTimers().setSystemTime(0);
      await vi;
      bench("a", () => [hoisted, fn(), stubbed, process.env.STUBBED]);`;
    await assertListed({ a: [1, 2, 3, "4"] }, text);
    for (const [call, name] of [
      [`vi.mock("./a")`, "vi.mock"],
      [`vi.doMock("./a")`, "vi.doMock"],
      ["aroundEach(() => {})", "aroundEach"],
    ]) {
      const refused = `uses ${name}(), which only vitest can do`;
      await assertListed({ a: refused }, `${IMPORTED} ${call}; bench("a", () => {});`);
    }
  });
});

describe("a test of vitest 5 that takes bench", () => {
  it("is a group of the benchmarks that it compares or runs", async () => {
    const text = `${IMPORTED}
      describe("text", () => {
        test("compared", async ({ bench, expect }) => {
          const result = await bench.compare(
            bench("a", () => 1), bench(function b() {}, { writeResult: "./b.json" }, () => 2), bench.from("old", "./old.json"), { time: 1 });
          expect(result.get("a")).toBeFasterThan(result.get("b"), { delta: 0.1 });
          if (result.get("a").latency.mean < 1) throw new Error("made up");
        });
        test("one by one", { retry: 3 }, async (context) => {
          await context.bench("c", () => 3).run();
          context.bench("never run", () => {});
          await context.bench.compare(context.bench("d", () => 4), context.bench("e", () => 5), { name: "named" });
        });
        test.for([[6, 7]])("row %i", async (row, { bench }) => { await bench("f", () => row).run(); });
        test.each([8])("no context %i", (bench) => bench.run());
        test.skip("skipped", async ({ bench }) => bench("g", () => {}).run());
        test("without", () => { throw new Error("runs"); });
      });`;
    await assertListed(
      {
        "text / compared / a": 1,
        "text / compared / b": 2,
        "text / one by one / c": 3,
        "text / one by one / named / d": 4,
        "text / one by one / named / e": 5,
        "text / row 6 / f": [6, 7],
      },
      text,
    );
  });

  it("runs after all hooks around it, and once more for each of its tasks", async () => {
    const text = `${IMPORTED}
      const say = (what) => async () => { await null; log.push(what); };
      let size;
      beforeAll(say("beforeAll")); beforeEach(say("beforeEach"));
      describe("group", () => {
        test("small", async ({ bench }) => { size = 1; await bench("a", { beforeAll: say("all"), beforeEach: say("each"), afterEach: say("after") }, () => size).run(); });
        test("large", async ({ bench }) => { size = 1000; await bench("b", () => size).run(); });
        beforeAll(say("the group's beforeAll")); beforeEach(say("the group's beforeEach"));
      });`;
    const { results, log } = await operated(text);
    assert.deepEqual(results, [1, 1000]);
    const each = ["beforeEach", "the group's beforeEach"];
    assert.deepEqual(log, [
      ...["beforeAll", "the group's beforeAll"],
      ...each,
      ...each,
      ...each,
      ...["all", "each", "after"],
      ...each,
    ]);
  });

  it("has only what is to be the only one", async () => {
    const text = `
      test("a", async ({ bench }) => bench("a", () => {}).run());
      test.only("b", async ({ bench }) => bench("b", () => {}).run());`;
    assert.deepEqual(await labels(text), ["b / b"]);
  });

  it("is refused where it takes what the file has extended it by", async () => {
    const text = `${IMPORTED}
      const extended = test.extend({ data: async ({}, use) => use(1) });
      extended("a", async ({ bench, data }) => bench("a", () => data).run());`;
    const refused = "takes what test.extend() makes, which only vitest can";
    await assertListed({ "a / a": refused }, text);
  });
});
