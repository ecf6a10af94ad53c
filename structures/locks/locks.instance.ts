import { shown } from "../shared/arguments.ts";
import {
  assertMadeBy,
  assertUsable,
  freeSeat,
  type Kind,
  type Reading,
  type Stamped,
  seated,
  stampOf,
  type Usable,
} from "../shared/instance.ts";
import { allocateFor, type Region } from "../shared/layout.ts";
import { assertWorkers, type WorkerIdentity, workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor, ScopedLock } from "./locks.contract.ts";

/** A formatted lock and its number of workers. It crosses to them by structured clone. */
export interface LockInstance extends Stamped {
  readonly workers: number;
  /** What a lock shares besides its words; undefined where the words are everything. */
  readonly shared: unknown;
}

/**
 * A free lock for a crew of `workers`, 1 or more; throws a RangeError for another number, and a TypeError for what is none.
 */
export function makeLock(competitor: LockCompetitor, workers: number): LockInstance {
  assertUsable(competitor, LOCK);
  if (typeof workers !== "number")
    throw new TypeError(
      `makeLock: ${shown(workers)} is no number of workers: give makeLock(competitor, 4) for four`,
    );
  assertWorkers(workers);
  const { memory, shared } = allocated(competitor, workers);
  competitor.format(memory, workers);
  return { memory, workers, shared, stamp: stampOf(competitor, { workers }) };
}

/** What the workers share of a lock that is not formatted yet. */
export function allocated(
  competitor: LockCompetitor,
  workers: number,
): Pick<LockInstance, "memory" | "shared"> {
  const { memory, linear } = allocateFor(competitor, competitor.words(workers));
  return { memory, shared: linear ?? competitor.share?.() };
}

/**
 * The lock as worker `index`, 0 .. workers - 1, holds it. Called in that worker's thread. A seat has one holder:
 * another attaches after `freeSeat`. Throws, in one line, for a value that this competitor's makeLock did not
 * return, and for an instance made for other workers. Throws as well for an index that is no worker's, and a seat that
 * is taken. The kind of handle is known where the competitor's type determines it.
 */
export function attachLock<Handle extends Lock | ScopedLock>(
  competitor: Usable & {
    attach(memory: Region, worker: WorkerIdentity, shared?: unknown): Handle;
  },
  instance: LockInstance,
  index: number,
): Handle {
  return seated(competitor, instance, index, READING, (worker) =>
    competitor.attach(instance.memory, worker, instance.shared),
  );
}

/**
 * Notifies a lock that recovers that worker `index`, 0 .. workers - 1, has exited. Frees the lock if that worker held it,
 * and frees its seat. The owner of the workers calls it on the thread's `exit` event, for each lock that the worker had
 * attached to. `adopt` does the same by itself for a lock whose stamp has `holderWords`, as robust-futex; this is for locks
 * whose words have a layout of their own:
 *
 *     worker.once("exit", () => workerExited(myLock, instance, index));
 *
 * Throws, in one line, for a value that this competitor's makeLock did not return and for an index that is no worker's.
 */
export function workerExited(
  competitor: Usable & Required<Pick<LockCompetitor, "workerExited">>,
  instance: LockInstance,
  index: number,
): void {
  assertMadeBy(competitor, instance, READING);
  competitor.workerExited(instance.memory, workerIdentity(index, instance.workers, 0).index);
  freeSeat(instance, index);
}

/** Locks draw no random numbers: any seed will do. */
const LOCK: Kind = { what: "lock", module: "hotpath-lab/locks/futex-three-state", mark: "deadHolder" };
const READING: Reading<LockInstance> = {
  counts: ({ workers }) => ({ workers }),
  seed: () => 0,
  kind: LOCK,
};

/** @deprecated Call it `makeLock`: every primitive has a name of its own for it. */
export const makeInstance = makeLock;

/** @deprecated Call it `attachLock`. */
export const attachTo = attachLock;
