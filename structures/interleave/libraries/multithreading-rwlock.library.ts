import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RwLock } from "multithreading";
import { check } from "../index.ts";

/**
 * multithreading: its readers-writer lock, as far as it blocks a thread.
 *
 * Promise: "multiple simultaneous readers but only one writer".
 * Visited completely: two readers and a writer.
 * Found: nothing. The forms that return promises are not in here.
 */
const word = () => new Int32Array(new SharedArrayBuffer(4));
const shared = { lock: word(), readers: word(), writers: word() };
type Shared = typeof shared;

const enter = (entered: Int32Array) => {
  Atomics.add(entered, 0, 1);
  Atomics.sub(entered, 0, 1);
};
const read = ({ lock, readers }: Shared) => {
  const guard = new RwLock(undefined, lock.buffer).blockingRead();
  enter(readers);
  guard.dispose();
};
const write = ({ lock, writers }: Shared) => {
  const guard = new RwLock(undefined, lock.buffer).blockingWrite();
  enter(writers);
  guard.dispose();
};

describe("the readers-writer lock of multithreading", () => {
  it("admits readers together, and a writer alone", () => {
    let mostReaders = 0;
    check<Shared>({
      shared,
      threads: [read, read, write],
      invariant({ readers, writers }) {
        assert.ok(writers[0] === 0 || readers[0] === 0, "a reader meets a writer");
        mostReaders = Math.max(mostReaders, readers[0]!);
      },
    });
    assert.equal(mostReaders, 2);
  });
});
