import type { Start } from "../../engine/race.ts";
import type { HeldCounters } from "./held-bytes.ts";

/** Runtimes as races and records know them. How each is found and started, a lab knows. */

/** A runtime as it was named, and how it starts. */
export interface NamedRuntime {
  readonly name: string;
  readonly start: Start;
}

/** What a runtime is asked for, as a table names it. */
export const ABILITIES = {
  sharedMemory: "SharedArrayBuffer",
  mainThreadWait: "Atomics.wait on the main thread",
  waitAsync: "Atomics.waitAsync",
  pause: "Atomics.pause",
  growable: "growable buffers",
  wasmThreads: "shared memory and atomics in WebAssembly",
  workerThreads: "node:worker_threads",
  oneClock: "process.hrtime is one clock for all threads",
  heapStatistics: "v8.getHeapStatistics",
  heldBytes: "counters of all that is held, shared memory included",
  piscina: "piscina",
} as const;
export type Ability = keyof typeof ABILITIES;

/** What a runtime says of itself. */
export interface RuntimeFacts {
  readonly name: string;
  readonly version: string;
  /** The one that it has: Bun reports the version of another as well. */
  readonly engine: string;
  readonly has: Readonly<Record<Ability, boolean>>;
  /** What counts all that is held, where anything does. */
  readonly counters?: HeldCounters;
}
