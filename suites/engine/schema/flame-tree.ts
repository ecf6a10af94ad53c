/**
 * What a profile comes to: a tree of frames, each with how often the profiler found a thread in it. Its root is the
 * cell, its second level the workers.
 */
export interface FlameNode {
  /** As a reader would look for it: a function's name, `(anonymous)`, `(garbage collector)`, `worker 0`. */
  readonly name: string;
  /**
   * File, from the repository's root, and line, from 1: `structures/pick/competitors/cas-ring.ts:42`; for code of Node's own
   * `node:internal/timers:580`. Absent where the profiler knows none.
   */
  readonly place?: string;
  readonly part: Part;
  /** Samples in it and in all that it called. */
  readonly samples: number;
  /** What it called, the largest first; of the cell its workers by seat. */
  readonly children: readonly FlameNode[];
}

/**
 * What a frame's code is part of. `structure`: a competitor, what it imports from structures, and packages it stands
 * for. `engine`: suites and the instrument, the batch loop among it. `runtime`: Node, V8 and the kernel. `thread`: no
 * code, but the cell and its workers.
 */
export type Part = "structure" | "engine" | "runtime" | "thread";

/** The frame of samples in the batch loop of which V8 may have inlined the batch. */
export const INLINED = "(inlined, not told apart)";
