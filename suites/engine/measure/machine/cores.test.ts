import assert from "node:assert/strict";
import { it } from "node:test";
import { numbersIn, pinThreads, usableCoreNumbers } from "./cores.ts";

it("a kernel's list of cores is read", () => {
  assert.deepEqual(numbersIn("0-3,8"), [0, 1, 2, 3, 8]);
  assert.deepEqual(numbersIn("5"), [5]);
  assert.deepEqual(numbersIn(""), []);
});

it("every core that may be used is named once", () => {
  const cores = usableCoreNumbers();
  assert.equal(new Set(cores).size, cores.length);
  if (process.platform === "linux") assert.ok(cores.length > 0);
});

it("what cannot be pinned is reported, and the others are pinned", {
  skip: process.platform !== "linux",
}, async () => {
  // No kernel numbers a thread so.
  const missing = { thread: 2 ** 30, core: 0 };
  const [core] = usableCoreNumbers();
  const own = { thread: process.pid, core: core! };
  const unpinned = await pinThreads([missing, own]);
  assert.ok(unpinned.has(missing.thread));
  if (!unpinned.has(own.thread)) assert.deepEqual(usableCoreNumbers(), [core]);
  assert.deepEqual(await pinThreads([]), new Set());
});
