import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type Seen } from "../index.ts";
import { lock, readLock, readUnlock, unlock, writeLock, writeUnlock } from "./shared-memory-objects.ts";

/**
 * @daneren2005/shared-memory-objects: the locks of a library for games of several threads.
 *
 * Promise: `lock` and `writeLock` admit one thread; readers share `readLock`, but not with a writer.
 * Visited completely: three threads at the lock.
 * Found: a reader enters while another thread writes.
 */
describe("the locks of @daneren2005/shared-memory-objects", () => {
  it("admits one thread after another to its lock", () => {
    const count = (words: Int32Array) => {
      lock(words);
      words[1]!++;
      unlock(words);
    };
    check({
      shared: new Int32Array(new SharedArrayBuffer(8)),
      threads: [count, count, count],
      end: (words) => assert.equal(words[1], 3),
    });
  });

  it("lets a reader in with a writer", ({ mock }) => {
    mock.method(console, "warn", () => {});
    const read = (words: Int32Array) => {
      readLock(words);
      const seen = [words[2], words[3]];
      readUnlock(words);
      return seen;
    };
    const write = (words: Int32Array) => {
      writeLock(words);
      words[2]!++;
      words[3]!++;
      writeUnlock(words);
    };
    const program = {
      shared: new Int32Array(new SharedArrayBuffer(16)),
      names: ["state", "readers", "one", "other"],
      threads: [[read, write], read],
      end: (_: Int32Array, { results }: Seen) => {
        const [one, other] = results[1]![0] as number[];
        assert.equal(one, other, "a reader saw half of what was written");
      },
    };
    assert.throws(() => check(program), { promise: "end", message: /saw half/ });
  });
});
