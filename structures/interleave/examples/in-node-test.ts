import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "interleave-shared";

const increment = (words: Int32Array) => Atomics.add(words, 0, 1);

test("no increment is lost", () => {
  check({
    shared: new Int32Array(new SharedArrayBuffer(4)),
    names: ["count"],
    threads: [increment, increment],
    end: ([count]) => assert.equal(count, 2),
  });
});
