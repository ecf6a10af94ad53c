import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findCounters, heldBytes, NODE_COUNTERS } from "./held-bytes.ts";

describe("what a process holds", () => {
  it("is counted by the counters of Node, which are found by trying", () => {
    assert.deepEqual(findCounters(), NODE_COUNTERS);
  });

  it("grows by what is kept, shared or not, and shrinks when it is dropped", () => {
    const BYTES = 2 ** 23;
    const held = () => heldBytes(NODE_COUNTERS, 2);
    const isOf = (bytes: number, expected: number) =>
      assert.ok(Math.abs(bytes - expected) < BYTES / 8, `${bytes}`);
    const kept: object[] = [];
    const before = held();
    kept.push(new ArrayBuffer(BYTES));
    isOf(held() - before, BYTES);
    kept.push(new SharedArrayBuffer(BYTES));
    isOf(held() - before, 2 * BYTES);
    kept.length = 0;
    isOf(held() - before, 0);
  });
});
