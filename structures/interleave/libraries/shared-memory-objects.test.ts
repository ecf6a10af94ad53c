import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { check, type Seen } from "../index.ts";

/**
 * @daneren2005/shared-memory-objects: locks, an allocator and structures for games of several threads.
 *
 * Promise: `lock` and `writeLock` admit one thread; readers share `readLock`, but not with a writer. "Memory allocations
 * is thread safe". Its lists, vectors and maps make no promise.
 * Visited completely: three threads at the lock; two that allocate a block, of whom one frees it; a reader who then
 * writes, and another reader.
 * Found: a reader enters while another thread writes.
 */
interface Package {
  lock(words: Int32Array): void;
  unlock(words: Int32Array): void;
  readLock(words: Int32Array): void;
  readUnlock(words: Int32Array): void;
  writeLock(words: Int32Array): void;
  writeUnlock(words: Int32Array): void;
  readonly MemoryBuffer: new (options: {
    readonly buf: SharedArrayBuffer;
    readonly skipInitialization?: boolean;
  }) => MemoryBuffer;
}
interface MemoryBuffer {
  /** The address, 0 where there is no room. */
  malloc(bytes: number): number;
  free(address: number): boolean;
  stats(): { readonly used: { readonly count: number } };
}

// The package is TypeScript for a bundler, and asks in which kind of thread it is.
const bundle = buildSync({
  entryPoints: [fileURLToPath(import.meta.resolve("@daneren2005/shared-memory-objects"))],
  bundle: true,
  format: "esm",
  write: false,
  define: { "import.meta.env.MODE": '"production"' },
});
Object.assign(globalThis, { self: globalThis });
const { lock, unlock, readLock, readUnlock, writeLock, writeUnlock, MemoryBuffer } = (await import(
  `data:text/javascript,${encodeURIComponent(bundle.outputFiles[0]!.text)}`
)) as Package;

describe("@daneren2005/shared-memory-objects", () => {
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
