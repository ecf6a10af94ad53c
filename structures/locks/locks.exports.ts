/** What a program needs to use a lock; the locks are modules of their own, `hotpath-lab/locks/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export type { Lock, LockCompetitor, ScopedLock } from "./locks.contract.ts";
export { attachTo, type LockInstance, makeInstance } from "./locks.instance.ts";
