import type { Transferable, Worker } from "node:worker_threads";
import type { Allocator } from "./words/layout.ts";

/**
 * What a project hands to every process and thread of its runs. It is the default export of a module, which each of
 * them imports by its URL. A run without a lab imports competitors itself and starts plain Workers.
 */
export interface Lab {
  /**
   * Returns the competitor at `url`, or rejects. `allocator` is where its shared memory is to come from, as long as the
   * thread lives. All crews of a process can then use the same memory in turn. A competitor that allocates elsewhere
   * has memory of its own. `seed` is a uint32 of the process, alike in all of its threads.
   */
  load?(url: string, allocator: Allocator, seed: number): Promise<unknown>;
  /**
   * Set where no competitor may change V8's flags while it is imported: all threads of a process share them. Where all
   * competitors are of one file, that may set them for all.
   */
  readonly keepsFlags?: true;
  /** Starts `count` threads for tasks of the module at `program`. Plain Workers if absent. */
  startThreads?: StartThreads;
}

/**
 * `hear` hears what threads post on their `parentPort`. Threads are started without flags of their own, and may not sleep in
 * a wait of the pool's.
 */
export type StartThreads = (program: string, count: number, hear: (message: unknown) => void) => Threads;

/** The threads of one crew. Each has one task. */
export interface Threads {
  /**
   * Calls the program's default export with `task` on a thread that has none. Resolves with what that returns; rejects
   * where it throws, or where the thread ends.
   */
  run(task: unknown, transferList?: readonly Transferable[]): Promise<unknown>;
  /** The threads, by which profilers reach them. */
  readonly workers: readonly Worker[];
  /** Terminates all. */
  destroy(): Promise<void>;
}

/**
 * The lab at a URL; an empty one without.
 *
 * @internal
 */
export async function labAt(url: string | undefined): Promise<Lab> {
  return url === undefined ? {} : ((await import(url)) as { readonly default: Lab }).default;
}
