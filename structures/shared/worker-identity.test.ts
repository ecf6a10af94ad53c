import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { workerIdentity } from "./worker-identity.ts";

describe("a worker of a crew", () => {
  it("has a seed of its own, in crews whose seeds are neighbours too, and the same one every time", () => {
    const seeds = () =>
      Array.from({ length: 64 }, (_, crew) =>
        Array.from({ length: 16 }, (_, index) => workerIdentity(index, 16, crew).seed),
      ).flat();
    // Among 1024 numbers drawn from 2^32 one is there twice in one of 8000 cases; these are always the same 1024.
    assert.equal(new Set(seeds()).size, 64 * 16);
    assert.deepEqual(seeds(), seeds());
    for (const seed of seeds()) assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
  });

  it("is one of the crew's, and a crew has workers and a seed", () => {
    for (const index of [-1, 4, 0.5, Number.NaN])
      assert.throws(() => workerIdentity(index, 4, 1), {
        name: "RangeError",
        message: /^worker \S+ is not .* 0 \.\. 3$/,
      });
    for (const workers of [0, 1.5, Number.NaN, 2 ** 31])
      assert.throws(() => workerIdentity(0, workers, 1), {
        name: "RangeError",
        message: /^workers \S+ is not/,
      });
    for (const seed of [-1, 2 ** 32, 0.5, Number.NaN])
      assert.throws(() => workerIdentity(0, 4, seed), { name: "RangeError", message: /^seed \S+ is not/ });
    assert.equal(workerIdentity(3, 4, 2 ** 32 - 1).index, 3);
  });
});
