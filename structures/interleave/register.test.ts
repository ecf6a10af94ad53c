import "./register.ts";
import assert from "node:assert/strict";
import { it } from "node:test";
import { changed, type Perform, WRITES_ONLY } from "./memory/access.ts";
import { replaceAtomics, standInBuffer } from "./memory/stand-in.ts";

// What a module keeps when it is loaded.
const { add, load, wait } = Atomics;
const KeptDataView = DataView;
class Ring extends Int32Array {}

it("what code keeps from then on knows stand-ins, and leaves other memory alone", () => {
  const words = new Int32Array(4);
  const perform: Perform = (kind, word, operand = 0, other = 0) => {
    const old = words[word]!;
    words[word] = changed(old, kind, operand as number, other as number);
    return WRITES_ONLY.has(kind) ? operand : old;
  };
  for (const explored of [false, true, false]) {
    words.fill(0);
    const undo = explored ? replaceAtomics() : () => {};
    const real = new SharedArrayBuffer(16);
    for (const buffer of [standInBuffer(16, 0, perform), real]) {
      const ring = new Ring(buffer as unknown as ArrayBuffer);
      add(ring, 1, 5);
      new KeptDataView(buffer).setInt32(8, 6, true);
      assert.deepEqual([load(ring, 1), ring[1], ring[2]], [5, 5, 6]);
    }
    assert.equal(wait(new Int32Array(real), 1, 4), explored ? "timed-out" : "not-equal");
    undo();
  }
});
