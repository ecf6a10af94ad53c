import {
  assertMadeBy,
  assertUsable,
  freeSeat,
  type Reading,
  type Stamped,
  seated,
  stampOf,
  type Usable,
} from "../shared/instance.ts";
import { allocateFor, type Region } from "../shared/layout.ts";
import { assertWorkers, type WorkerIdentity, workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor, ScopedLock } from "./locks.contract.ts";

/** A lock that is formatted, and for how many workers: what crosses to them by structured clone. */
export interface LockInstance extends Stamped {
  readonly workers: number;
  /** What a lock shares besides its words; undefined where those are all. */
  readonly shared: unknown;
}

/** A lock that nobody holds, for a crew of `workers`, 1 or more; throws a RangeError for another number. */
export function makeInstance(competitor: LockCompetitor, workers: number): LockInstance {
  assertUsable(competitor);
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
 * The lock as worker `index`, 0 .. workers - 1, holds it, in whose thread this is called. A seat has one holder: another
 * attaches after `freeSeat`. Throws, in one line, for what this competitor's makeInstance did not return, an instance whose
 * workers are not those it was made for, an index that is no worker's, and a seat that is taken. Which kind of handle it
 * is, is known where the competitor's type tells.
 */
export function attachTo<Handle extends Lock | ScopedLock>(
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
 * Tells a lock that recovers that worker `index`, 0 .. workers - 1, has exited: frees the lock if that worker held it, and
 * its seat. For the owner of the workers, where the thread's `exit` event comes, for each lock that it had attached to:
 *
 *     worker.once("exit", () => workerExited(robustFutex, instance, index));
 *
 * Throws, in one line, for what this competitor's makeInstance did not return and for an index that is no worker's.
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
const READING: Reading<LockInstance> = { counts: ({ workers }) => ({ workers }), seed: () => 0 };
