/** What a program needs to use a lock; the locks are modules of their own, `hotpath-lab/locks/<name>`. */
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
