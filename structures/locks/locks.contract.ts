import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A lock for worker threads: at most one worker holds it.
 *
 * Life: one thread formats `words` words once, before any other may touch them, and makes what else is shared; then
 * every worker attaches and uses its own handle, one for each worker. Not recursive. Only the holder may unlock. A worker
 * may take over the seat of one that ended (shared/instance.ts): where that one held the lock or waited for it, what
 * becomes of the lock is as `deadHolder` says, whoever has its seat.
 */
export interface LockCompetitor extends Traits {
  /** What becomes of the lock when its holder is terminated: held for ever, or free with the data as they are. */
  readonly deadHolder: "keeps" | "releases";
  /** Size of the lock in int32 words, for a crew of `workers`. */
  words(workers: number): number;
  format(memory: Region, workers: number): void;
  /**
   * Makes what the workers share besides the words, for a lock that is not made of words: something that crosses to
   * other threads by structured clone. Absent where the words are all.
   */
  share?(): unknown;
  /** `shared` is what `share` made, as it reached this thread. */
  attach(memory: Region, worker: WorkerIdentity, shared?: unknown): Lock | ScopedLock;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Lock extends Waiting {
  /** Returns when this worker holds the lock. Blocks the thread, so not for a browser's main thread. */
  lock(): void;
  /** Takes the lock if that needs no waiting; returns whether it did. Nobody can take what is taken, its holder neither. */
  tryLock(): boolean;
  /** Releases the lock; everything written before is visible to the next holder. */
  unlock(): void;
}

/** The handle of a lock that can only be held for the length of a call. Not to be passed to another thread. */
export interface ScopedLock extends Waiting {
  /** Calls `body` while this worker holds the lock. Blocks the thread until then. */
  hold(body: () => void): void;
  /** Calls `body` if the lock can be taken without waiting; returns whether it did. */
  tryHold(body: () => void): boolean;
}

/** Totals since attach: polls of a lock that was taken, and sleeps in the kernel. */
interface Waiting {
  readonly spins: number;
  readonly parks: number;
}

export const contract = {
  question: "Which lock lets one worker at a time through at the least cost to all of them?",
  oracle: "test-and-set",
  fields: {
    deadHolder: { keeps: true, releases: true },
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { share: "function" },
  footprint(lock) {
    const words = `${lock.words(8) * Int32Array.BYTES_PER_ELEMENT} B for 8 workers`;
    return lock.share === undefined ? words : `${words}, and an object`;
  },
} satisfies Contract<LockCompetitor>;
