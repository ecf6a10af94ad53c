import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** @daneren2005/shared-memory-objects, which is TypeScript for a bundler: as that makes it. */
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
export interface MemoryBuffer {
  /** The address, 0 where there is no room. */
  malloc(bytes: number): number;
  free(address: number): boolean;
  stats(): { readonly used: { readonly count: number } };
}

const bundle = buildSync({
  entryPoints: [fileURLToPath(import.meta.resolve("@daneren2005/shared-memory-objects"))],
  bundle: true,
  format: "esm",
  write: false,
  define: { "import.meta.env.MODE": '"production"' },
});
// It asks there in which kind of thread it is: in a worker it may wait.
Object.assign(globalThis, { self: globalThis, WorkerGlobalScope: Object });
export const { lock, unlock, readLock, readUnlock, writeLock, writeUnlock, MemoryBuffer } = (await import(
  `data:text/javascript,${encodeURIComponent(bundle.outputFiles[0]!.text)}`
)) as Package;
