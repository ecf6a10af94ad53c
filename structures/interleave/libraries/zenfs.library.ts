import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../index.ts";
import "../register.ts";

/**
 * @zenfs/core: a file system whose backend SingleBuffer is a SharedArrayBuffer.
 *
 * Promise: SingleBuffer "can be used for synchronous multi-threaded operations". A thread that changes a block of
 * metadata holds the block's lock.
 * Visited until the fault: two threads that lock a block.
 * Found: both hold the lock. It is read until it is 0, and then set, in two steps.
 */
interface MetadataBlock {
  lock(): () => void;
}
const { MetadataBlock } = (await import(
  new URL("backends/single_buffer.js", import.meta.resolve("@zenfs/core")).href
)) as { readonly MetadataBlock: new (buffer: SharedArrayBuffer, byteOffset: number) => MetadataBlock };

/** A block of metadata, rounded up. */
const BLOCK_BYTES = 4100;

interface Shared {
  readonly buffer: SharedArrayBuffer;
  readonly holders: Int32Array;
}

describe("@zenfs/core", () => {
  it("gives the lock of a metadata block to two threads", () => {
    const hold = ({ buffer, holders }: Shared) => {
      const release = new MetadataBlock(buffer, 0).lock();
      const others = Atomics.add(holders, 0, 1);
      Atomics.sub(holders, 0, 1);
      release();
      return others;
    };
    const program = {
      shared: {
        buffer: new SharedArrayBuffer(BLOCK_BYTES),
        holders: new Int32Array(new SharedArrayBuffer(4)),
      },
      threads: [hold, hold],
      invariant: ({ holders }: Shared) => assert.ok(holders[0]! <= 1, `${holders[0]} threads hold the lock`),
    };
    assert.throws(() => check<Shared>(program), { promise: "invariant", message: /2 threads hold the lock/ });
  });
});
