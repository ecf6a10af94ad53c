import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertBuiltins } from "./builtins.ts";
import { importCompetitor } from "./load.ts";

/** URL of a module that does this. */
const doing = (code: string) => `data:text/javascript,${encodeURIComponent(`${code}; export default {};`)}`;

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
    ["MessagePort.prototype.postMessage", "MessagePort.prototype.postMessage = () => {}"],
    ["Array.prototype.map", "Array.prototype.map = () => []"],
    ["Map.prototype.get", "Map.prototype.get = () => 0"],
    ["Promise.prototype.then", "Promise.prototype.then = () => {}"],
    ["Int32Array.prototype.set", "Int32Array.prototype.set = () => {}"],
    ["Object.getOwnPropertyDescriptor", "Object.getOwnPropertyDescriptor = () => ({})"],
    ["process.binding", "process.binding = () => ({})"],
    ["the prototype of Math", "Object.setPrototypeOf(Math, { now: () => 0 })"],
    ["Atomics.load", "Object.defineProperty(Atomics, 'load', { get: () => () => 0, configurable: true })"],
  ]) {
    it(`are reported after \`${code}\`, and put back`, async () => {
      await assert.rejects(importCompetitor(doing(code!)), {
        message: `it replaced ${name}, which all are measured with: leave builtins as they are`,
      });
      assertBuiltins();
    });
  }

  it("are reported where all objects inherit something new, and not where nothing is hidden", async () => {
    await assert.rejects(importCompetitor(doing("Object.prototype.rest = () => {}")), {
      message: "it added Object.prototype.rest, which all objects inherit: leave builtins as they are",
    });
    await importCompetitor(doing("Array.prototype.last = function () { return this.at(-1); }"));
    Reflect.deleteProperty(Array.prototype, "last");
  });

  it("are blamed on one competitor alone where they cannot be put back", async () => {
    const code =
      "Object.defineProperty(Math, 'sinh', { value: () => 0, writable: false, configurable: false })";
    await assert.rejects(importCompetitor(doing(code)), /^Error: it replaced Math\.sinh/);
    assertBuiltins();
  });

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
