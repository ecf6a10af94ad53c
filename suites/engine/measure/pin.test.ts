import assert from "node:assert/strict";
import { it } from "node:test";
import { numbersIn, pinThreads, usableCoreNumbers } from "./pin.ts";

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

it("what cannot be pinned is not said to be", () => {
  assert.equal(pinThreads([]), false);
  // No kernel numbers a thread so.
  assert.equal(pinThreads([{ thread: 2 ** 30, core: 0 }]), false);
});
