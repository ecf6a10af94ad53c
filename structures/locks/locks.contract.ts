import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A lock for worker threads: at most one worker holds it.
 *
 * Life: one thread formats `words` words once, before any other thread touches them, and makes what else is shared.
 * Then every worker attaches and uses a handle of its own. Not recursive. Only the holder may unlock. A worker may
 * take over the seat of one that ended (shared/instance.ts). If the former worker held the lock, `deadHolder` says
 * what happens to it. A new worker in the seat changes nothing. If the former worker waited, others may sleep on a
 * free lock until its seat is freed. A place in a queue is never given up. The competitor's header says which.
 */
export interface LockCompetitor extends Traits {
  /**
   * What happens to the lock when its holder is terminated. `keeps`: held for ever. `releases`: free, with the data
   * as they are. `recovers`: free once the holder's seat is freed, or `workerExited` reports it; the handles are then
   * RobustLocks.
   */
  readonly deadHolder: "keeps" | "releases" | "recovers";
  /** Size of the lock in int32 words, for a crew of `workers`. */
  words(workers: number): number;
  format(memory: Region, workers: number): void;
  /**
   * Makes what the workers share besides the words, for a lock that is not made of words alone. The result has to
   * survive structured clone to other threads. Absent where the words are everything.
   */
  share?(): unknown;
  /**
   * Notifies the lock, from any thread, that worker `index` has exited. Call it once no code of that worker runs, and
   * before another attaches with its index. Frees the lock if that worker held it. Freeing a seat does the same to
   * `holderWords`.
   */
  workerExited?(memory: Region, index: number): void;
  /** `shared` is what `share` made, as received here; the Memory of the words where it `needsLinear`. */
  attach(memory: Region, worker: WorkerIdentity, shared?: unknown): Lock | ScopedLock;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Lock extends Waiting {
  /**
   * Returns when this worker holds the lock. Blocks the thread, so a browser's main thread must not call it. A worker
   * that already holds it waits for itself for ever. Where that can be detected at no cost it throws an Error: the
   * competitor's header says under Limits where. A lock in JavaScript that sleeps throws an Error where it would sleep while
   * a task of the thread waits on this handle by lockAsync.
   */
  lock(): void;
  /**
   * Takes the lock if it need not wait, and returns whether it did. A lock that is taken cannot be taken, not even by
   * its holder.
   */
  tryLock(): boolean;
  /**
   * Releases the lock. Everything written before is visible to the next holder. Unlocking a lock that this worker
   * does not hold is an error of the caller. Where that can be detected at no cost it throws an Error. Elsewhere the
   * competitor's header says under Limits what happens to the lock.
   */
  unlock(): void;
}

/**
 * The handle of a lock whose waiters sleep on one word and may leave at any time. A worker can wait for it up to a
 * limit (lockWithin), or without blocking the thread (lockAsync). A lock that queues its waiters can offer this only with
 * `leave`, because the turn of a waiter that left would still come. A lock whose unlock wakes no sleeper cannot.
 */
export interface SleepingLock extends Lock {
  /** One word. `unlock` notifies one of its sleepers if a sleeper was announced. */
  readonly word: Region;
  /**
   * Takes the lock and returns undefined. If the lock is taken, it announces a sleeper and returns the value of
   * `word` to sleep on. A worker that was woken calls it once more before it leaves, because no other waiter was
   * woken.
   */
  lockOrAnnounce(): number | undefined;
  /**
   * Takes an announcement back. Returns whether the lock had been handed to this worker meanwhile, which then holds it.
   * Absent where an announcement names no worker.
   */
  leave?(): boolean;
}

/**
 * The handle of a lock that recovers from the death of its holder, as a robust mutex of pthreads does
 * (pthread_mutexattr_setrobust(3)).
 *
 * The next holder after a dead worker sees `ownerDied`: that worker may have left the data halfway through a change.
 * The holder repairs the data and calls `markConsistent` before it unlocks. If it cannot, it calls
 * `unlockInconsistent` and leaves the repair to the next holder. If it calls `unlock` without either, the lock becomes
 * unusable. Every worker that waits for it or tries to take it then gets an Error with the code ENOTRECOVERABLE.
 */
export interface RobustLock extends SleepingLock {
  /** Whether this worker took the lock after a holder died, and has not yet marked the data consistent. */
  readonly ownerDied: boolean;
  /** Declares the data consistent again. Throws an Error where `ownerDied` is false. */
  markConsistent(): void;
  /** Releases the lock with the data as they are: `ownerDied` holds for the next holder. Throws an Error where it is false. */
  unlockInconsistent(): void;
}

/** The handle of a lock that can only be held for the length of a call. Not to be passed to another thread. */
export interface ScopedLock extends Waiting {
  /** Calls `body` while this worker holds the lock. Blocks the thread until then. */
  hold(body: () => void): void;
  /** Calls `body` if the lock can be taken without waiting, and returns whether it did. */
  tryHold(body: () => void): boolean;
}

/** Totals of `lock` and `hold` since attach: polls of a taken lock, and sleeps in the kernel. */
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
  contradiction({ deadHolder, workerExited, holderWords }) {
    if ((deadHolder === "recovers") !== (workerExited !== undefined))
      return 'deadHolder "recovers" and workerExited go together: give both or neither';
    return holderWords === undefined || deadHolder === "recovers"
      ? undefined
      : 'holderWords are freed after a death: say deadHolder "recovers", or leave them out';
  },
  footprint(lock) {
    const words = `${lock.words(8) * Int32Array.BYTES_PER_ELEMENT} B for 8 workers`;
    return lock.share === undefined ? words : `${words}, and an object`;
  },
} satisfies Contract<LockCompetitor>;
