/** What a program needs to use a lock; the locks are modules of their own, `hotpath-lab/locks/<name>`. */
export type { Body, HeldKey, Key, RequestOptions } from "../keyed/keyed.contract.ts";
export {
  attachLocks,
  createLocks,
  type Locks,
  type LocksInstance,
  type LocksSetup,
} from "../keyed/keyed.instance.ts";
export { freeSeat } from "../shared/instance.ts";
export type { Lock, LockCompetitor, RobustLock, ScopedLock, SleepingLock } from "./locks.contract.ts";
export {
  attachLock,
  attachTo,
  type LockInstance,
  makeInstance,
  makeLock,
  workerExited,
} from "./locks.instance.ts";
export { checked, lockAsync, lockWithin, withLock, withLockAsync } from "./parts/acquire.ts";
