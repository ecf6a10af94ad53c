import type { Claims } from "../shared/claims.ts";
import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Seat } from "../shared/seat.ts";

/**
 * A lock for worker threads: at most one worker is between `lock` and `unlock`.
 *
 * Life: one thread formats `words` words once, before any other may touch them; then every worker attaches and uses
 * its own `Lock`. Not recursive. Only the holder may unlock. A worker that is terminated while holding the lock
 * leaves it held for ever: no lock here detects a dead owner.
 */
export interface LockCompetitor extends Claims {
  /** Size of the lock in int32 words, for a crew of `workers`. */
  words(workers: number): number;
  format(memory: Region, workers: number): void;
  attach(memory: Region, seat: Seat): Lock;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Lock {
  /** Returns when this worker holds the lock. Blocks the thread, so not for a browser's main thread. */
  lock(): void;
  /** Takes the lock if that needs no waiting; returns whether it did. */
  tryLock(): boolean;
  /** Releases the lock; everything written before is visible to the next holder. */
  unlock(): void;
  /** Totals since attach: polls of a lock that was taken, and sleeps in the kernel. */
  readonly spins: number;
  readonly parks: number;
}

export const contract = {
  question: "Which lock lets one worker at a time through at the least cost to all of them?",
  oracle: "test-and-set",
  fields: {
    summary: "string",
    source: "string",
    progress: "string",
    words: "function",
    format: "function",
    attach: "function",
  },
  footprint: (lock) => `${lock.words(8) * Int32Array.BYTES_PER_ELEMENT} B for 8 workers`,
} satisfies Contract<LockCompetitor>;
