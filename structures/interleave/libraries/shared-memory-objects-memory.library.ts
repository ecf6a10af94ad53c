import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check } from "../index.ts";
import { MemoryBuffer } from "./shared-memory-objects.ts";

/**
 * @daneren2005/shared-memory-objects: the allocator of a library for games of several threads.
 *
 * Promise: "Memory allocations is thread safe". Its lists, vectors and maps make no such promise.
 * Visited completely: three allocations by two threads, of which one is freed.
 * Found: nothing.
 */
describe("the memory of @daneren2005/shared-memory-objects", () => {
  it("allocates no block twice, also where one is freed", () => {
    const shared = new SharedArrayBuffer(128);
    new MemoryBuffer({ buf: shared });
    const allocate = (own: MemoryBuffer) => own.malloc(8);
    const free = (own: MemoryBuffer) => own.free(own.malloc(8));
    check({
      shared,
      attach: (buf) => new MemoryBuffer({ buf, skipInitialization: true }),
      threads: [[allocate, free], allocate],
      end(buf, { results }) {
        const [one, isFreed, other] = results.flat();
        assert.deepEqual([one === 0, other === 0, one === other, isFreed], [false, false, false, true]);
        assert.equal(new MemoryBuffer({ buf, skipInitialization: true }).stats().used.count, 2);
      },
    });
  });
});
