import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { allocateLinear, allocateWith } from "../../../structures/shared/layout.ts";
import { findCounters, heldBytes, linearsWatched, NODE_COUNTERS } from "./held-bytes.ts";

const BYTES = 2 ** 23;

function isOf(bytes: number, expected: number): void {
  assert.ok(Math.abs(bytes - expected) < BYTES / 8, `${bytes}`);
}

describe("what a process holds", () => {
  it("is counted by the counters of Node, which are found by trying", () => {
    assert.deepEqual(findCounters(), NODE_COUNTERS);
  });

  it("grows by what is kept, shared or not, and shrinks when it is dropped", () => {
    const held = () => heldBytes(NODE_COUNTERS, 2);
    const kept: object[] = [];
    const before = held();
    kept.push(new ArrayBuffer(BYTES));
    isOf(held() - before, BYTES);
    kept.push(new SharedArrayBuffer(BYTES));
    isOf(held() - before, 2 * BYTES);
    kept.length = 0;
    isOf(held() - before, 0);
  });

  it("grows by a WebAssembly memory that the watching allocator gave, and shrinks when it is dropped", async () => {
    const before = heldBytes(NODE_COUNTERS, 2);
    allocateWith(linearsWatched);
    let kept: object | undefined = allocateLinear(BYTES / 4);
    allocateWith(undefined);
    isOf(heldBytes(NODE_COUNTERS, 2) - before, BYTES);
    assert.ok(kept);
    kept = undefined;
    await turn();
    isOf(heldBytes(NODE_COUNTERS, 2) - before, 0);
  });
});
