import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A lock for worker threads: at most one worker holds it.
 *
 * Life: one thread formats `words` words once, before any other may touch them, and makes what else is shared; then
 * every worker attaches and uses its own handle, one for each worker. Not recursive. Only the holder may unlock. A worker
 * may take over the seat of one that ended (shared/instance.ts). If that one held the lock, `deadHolder` says what becomes
 * of it; a new worker in the seat changes nothing. If it waited, others may sleep on a free lock until its seat is freed,
 * and a place in a queue is never given up: the competitor's header says which.
 */
export interface LockCompetitor extends Traits {
  /**
   * What becomes of the lock when its holder is terminated: held for ever; free with the data as they are; or free once
   * that is reported to `workerExited`, and then the handles are RobustLocks.
   */
  readonly deadHolder: "keeps" | "releases" | "recovers";
  /** Size of the lock in int32 words, for a crew of `workers`. */
  words(workers: number): number;
  format(memory: Region, workers: number): void;
  /**
   * Makes what the workers share besides the words, for a lock that is not made of words: something that crosses to
   * other threads by structured clone. Absent where the words are all.
   */
  share?(): unknown;
  /**
   * Tells the lock that worker `index` has exited, from any thread: once no code of that worker runs, and before another
   * attaches with its index. Frees the lock if it was that worker's.
   */
  workerExited?(memory: Region, index: number): void;
  /** `shared` is what `share` made, as it reached this thread; or the Memory of the words, where it `needsLinear`. */
  attach(memory: Region, worker: WorkerIdentity, shared?: unknown): Lock | ScopedLock;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Lock extends Waiting {
  /**
   * Returns when this worker holds the lock. Blocks the thread, so not for a browser's main thread. A worker that holds it
   * already waits for itself, for ever. Where that can be detected at no cost it throws an Error; the competitor's header says
   * under Limits where that is.
   */
  lock(): void;
  /** Takes the lock if that needs no waiting; returns whether it did. Nobody can take what is taken, its holder neither. */
  tryLock(): boolean;
  /**
   * Releases the lock; everything written before is visible to the next holder. To unlock what this worker does not hold
   * is a fault of the caller. Where that can be detected at no cost it throws an Error; where not, the competitor's header
   * says under Limits what becomes of the lock.
   */
  unlock(): void;
}

/**
 * The handle of a lock whose waiters sleep on one word and may go away at any time: it can be waited for up to a limit
 * (lockWithin) and without blocking the thread (lockAsync). A lock that keeps its waiters in a queue cannot, because the
 * place of one that went away would come up; nor one whose unlock wakes nobody.
 */
export interface SleepingLock extends Lock {
  /** One word. `unlock` notifies one of its sleepers after somebody announced one. */
  readonly word: Region;
  /**
   * Takes the lock and returns undefined; or announces a sleeper, and returns the value of `word` on which to sleep.
   * A worker that was woken calls it once more before it goes away, because nobody else was.
   */
  lockOrAnnounce(): number | undefined;
}

/**
 * The handle of a lock that recovers from the death of its holder, as a robust mutex of pthreads does
 * (pthread_mutexattr_setrobust(3)).
 *
 * The next holder after a dead worker sees `ownerDied`: the data may be as that worker left them, halfway through a change. It
 * mends them and calls `markConsistent` before it unlocks. If it cannot, it leaves that to the next holder by
 * `unlockInconsistent`. If it unlocks without either, the lock is unusable: every worker that waits for it or wants it gets an Error
 * with the code ENOTRECOVERABLE.
 */
export interface RobustLock extends SleepingLock {
  /** Whether this worker holds the lock after one that died holding it, and has not marked the data consistent. */
  readonly ownerDied: boolean;
  /** Says that the data are consistent again. Throws an Error where `ownerDied` is false. */
  markConsistent(): void;
  /** Releases the lock with the data as they are: `ownerDied` holds for the next holder. Throws an Error where it is false. */
  unlockInconsistent(): void;
}

/** The handle of a lock that can only be held for the length of a call. Not to be passed to another thread. */
export interface ScopedLock extends Waiting {
  /** Calls `body` while this worker holds the lock. Blocks the thread until then. */
  hold(body: () => void): void;
  /** Calls `body` if the lock can be taken without waiting; returns whether it did. */
  tryHold(body: () => void): boolean;
}

/** Totals of `lock` and `hold` since attach: polls of a lock that was taken, and sleeps in the kernel. */
interface Waiting {
  readonly spins: number;
  readonly parks: number;
}

export const contract = {
  question: "Which lock lets one worker at a time through at the least cost to all of them?",
  oracle: "test-and-set",
  fields: {
    deadHolder: { keeps: true, releases: true, recovers: true },
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { share: "function", workerExited: "function" },
  contradiction({ deadHolder, workerExited }) {
    return (deadHolder === "recovers") === (workerExited !== undefined)
      ? undefined
      : 'deadHolder "recovers" and workerExited go together: give both or neither';
  },
  footprint(lock) {
    const words = `${lock.words(8) * Int32Array.BYTES_PER_ELEMENT} B for 8 workers`;
    return lock.share === undefined ? words : `${words}, and an object`;
  },
} satisfies Contract<LockCompetitor>;
