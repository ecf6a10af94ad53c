import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertBuiltins } from "./builtins.ts";
import { importCompetitor } from "./load.ts";

describe("builtins that a competitor replaces", () => {
  for (const [name, code] of [
    ["Math.random", "Math.random = () => 0.5"],
    ["Math.random", "delete Math.random"],
    ["Atomics.add", "Atomics.add = () => 0"],
    ["Performance.prototype.now", "Object.getPrototypeOf(performance).now = () => 0"],
    ["performance.now", "performance.now = () => 0"],
    ["process.hrtime.bigint", "process.hrtime.bigint = () => 0n"],
    ["process.hrtime", "process.hrtime = () => [0, 0]"],
    ["Date.now", "Date.now = () => 0"],
    ["performance", "globalThis.performance = { now: () => 0 }"],
    ["Atomics", "globalThis.Atomics = {}"],
    ["Number", "globalThis.Number = () => 0"],
  ]) {
    it(`are reported after \`${code}\`, and put back`, async () => {
      const url = `data:text/javascript,${encodeURIComponent(`${code}; export default {};`)}`;
      await assert.rejects(importCompetitor(url), {
        message: `it replaced ${name}, which all are measured with: leave builtins as they are`,
      });
      assertBuiltins();
    });
  }

  it("are none where it only uses them", async () => {
    const code = "performance.now(); process.hrtime.bigint(); export default Math.random";
    assert.equal(await importCompetitor(`data:text/javascript,${code}`), Math.random);
  });

  it("are blamed on the module that did it, of several that are imported at once", async () => {
    const urls = ["export default 1", "Math.max = 0; export default 2", "export default 3"];
    const imported = urls.map((code) => importCompetitor(`data:text/javascript,${code}`));
    const ends = await Promise.allSettled(imported);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });
});
