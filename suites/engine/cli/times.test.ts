import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { roughTime } from "./times.ts";

describe("times of a first look", () => {
  it("have two digits and the unit that fits", () => {
    assert.deepEqual([0.2, 3, 99, 400, 999, 12_345, 1e6, 6e11].map(roughTime), [
      ...["0.2 ns", "3 ns", "99 ns", "400 ns", "1 us", "12 us", "1 ms", "600 s"],
    ]);
  });
});
