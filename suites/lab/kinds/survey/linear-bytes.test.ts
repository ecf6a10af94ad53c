import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { heldBytes, NODE_COUNTERS } from "../../runtimes/held-bytes.ts";
import { linearBytes, linearsWatched } from "./linear-bytes.ts";

const BYTES = 2 ** 23;
const PAGE_BYTES = 2 ** 16;

describe("bytes of WebAssembly memories", () => {
  it("grow by one that the watching allocator gave, and shrink when it is dropped", async () => {
    const held = () => heldBytes(NODE_COUNTERS, 2) + linearBytes();
    const isOf = (bytes: number, expected: number) =>
      assert.ok(Math.abs(bytes - expected) < BYTES / 8, `${bytes}`);
    const before = held();
    let kept: object | undefined = linearsWatched.linear(BYTES / PAGE_BYTES);
    isOf(held() - before, BYTES);
    assert.ok(kept);
    kept = undefined;
    await turn();
    isOf(held() - before, 0);
  });
});
