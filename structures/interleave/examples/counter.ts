import assert from "node:assert/strict";
import { check } from "interleave-shared";

const increment = (words: Int32Array) => Atomics.store(words, 0, Atomics.load(words, 0) + 1);

check({
  shared: new Int32Array(new SharedArrayBuffer(4)),
  names: ["count"],
  threads: [increment, increment],
  end: ([count]) => assert.equal(count, 2),
});
