import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Counters of `process.memoryUsage()` that together count objects, buffers and shared buffers, each once. */
export type HeldCounters = readonly ("heapUsed" | "arrayBuffers")[];

/**
 * Node's counters. Not `external`: it holds every ArrayBuffer that `arrayBuffers` holds, and no SharedArrayBuffer,
 * which that does.
 */
export const NODE_COUNTERS: HeldCounters = ["heapUsed", "arrayBuffers"];

/** As runtimes have them. In Bun `heapUsed` has all buffers in it; in Deno no counter has a shared one. */
const KNOWN_COUNTERS: readonly HeldCounters[] = [NODE_COUNTERS, ["heapUsed"]];

/** Large beside what a heap does by itself. */
const TRIAL_BYTES = 2 ** 24;
const TRIAL_COLLECTIONS = 2;

/** Which counters hold what is tried; undefined where none do. */
export function findCounters(): HeldCounters | undefined {
  return KNOWN_COUNTERS.find((counters) => {
    const growth = (allocate: () => object) => {
      const before = heldBytes(counters, TRIAL_COLLECTIONS);
      const kept = allocate();
      return { bytes: heldBytes(counters, TRIAL_COLLECTIONS) - before, kept };
    };
    return [
      growth(() => new ArrayBuffer(TRIAL_BYTES)),
      growth(() => new SharedArrayBuffer(TRIAL_BYTES)),
    ].every(({ bytes }) => bytes > 0.9 * TRIAL_BYTES && bytes < 1.1 * TRIAL_BYTES);
  });
}

/** What is held after that number of collections. */
export function heldBytes(counters: HeldCounters, collections: number): number {
  const collect = collector();
  // What one run finds finalizable, or a buffer that it found unused, the next one frees. Code that has not been run
  // for a few collections is dropped, hundreds of kilobytes at once, which must not happen between two readings.
  for (let run = 0; run < collections; run++) collect();
  const usage = process.memoryUsage();
  return counters.reduce((sum, counter) => sum + usage[counter], 0);
}

/** V8 hands out its collector only behind a flag, and only to contexts that are made after it. */
function collector(): () => void {
  const { Bun } = globalThis as { readonly Bun?: { gc(isSynchronous: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
