import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { floorNote } from "./floor.ts";

describe("a time near the floor of the loop", () => {
  const note = "at the floor of the loop: may have been optimised away";
  for (const [timeNs, expected] of [
    [2.9, note],
    [8.9, note],
    [9, undefined],
    [50, undefined],
  ] as const) {
    it(`${timeNs} ns over a floor of 3 ns ${expected === undefined ? "has a ratio" : "has none"}`, () => {
      assert.equal(floorNote(timeNs, 3), expected);
    });
  }
});
