import { allocateRegion, type Region } from "../shared/layout.ts";
import { assertWorkers, type WorkerIdentity, workerIdentity } from "../shared/worker-identity.ts";
import type { Lock, LockCompetitor, ScopedLock } from "./locks.contract.ts";

/** A lock that is formatted, and for how many workers: what crosses to them by structured clone. */
export interface LockInstance {
  readonly memory: Region;
  readonly workers: number;
  /** What a lock shares besides its words; undefined where those are all. */
  readonly shared: unknown;
}

/** A lock that nobody holds, for a crew of `workers`, 1 or more; throws a RangeError for another number. */
export function makeInstance(competitor: LockCompetitor, workers: number): LockInstance {
  assertWorkers(workers);
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  return { memory, workers, shared: competitor.share?.() };
}

/**
 * The lock as worker `index` holds it, in whose thread this is called: once for each. Nobody checks the once, and some
 * locks break where two handles have one number. Throws a RangeError for an index that is not in 0 .. workers - 1.
 * Which kind of handle it is, is known where the competitor's type tells.
 */
export function attachTo<Handle extends Lock | ScopedLock>(
  competitor: { attach(memory: Region, worker: WorkerIdentity, shared?: unknown): Handle },
  { memory, workers, shared }: LockInstance,
  index: number,
): Handle {
  return competitor.attach(memory, workerIdentity(index, workers, NO_SEED), shared);
}

/**
 * Tells a lock that recovers that worker `index` has exited, and frees it if that worker held it. For the owner of the
 * workers, where the thread's `exit` event comes, for each lock that the worker had attached to:
 *
 *     worker.once("exit", () => workerExited(robustFutex, instance, index));
 *
 * The index may then be given to another worker, and not before. Throws a RangeError for an index that is not in
 * 0 .. workers - 1.
 */
export function workerExited(
  competitor: Required<Pick<LockCompetitor, "workerExited">>,
  { memory, workers }: LockInstance,
  index: number,
): void {
  competitor.workerExited(memory, workerIdentity(index, workers, NO_SEED).index);
}

/** Locks draw no random numbers. */
const NO_SEED = 0;
