import type { Lock, RobustLock, ScopedLock } from "../locks.contract.ts";

/**
 * Both kinds of handle as the narrower one, for code that examines locks of both kinds and does not mind the call. A
 * race minds, and takes each as it is. Where a RobustLock is taken after a dead holder, it is marked consistent, and
 * `afterDeath` is called.
 */
export function scoped(lock: Lock | ScopedLock, afterDeath = () => {}): Pick<ScopedLock, "hold" | "tryHold"> {
  if ("hold" in lock) return lock;
  const mend = (): void => {
    if (!isRobust(lock) || !lock.ownerDied) return;
    lock.markConsistent();
    afterDeath();
  };
  return {
    hold(body) {
      lock.lock();
      mend();
      body();
      lock.unlock();
    },
    tryHold(body) {
      if (!lock.tryLock()) return false;
      mend();
      body();
      lock.unlock();
      return true;
    },
  };
}

export function isRobust(lock: Lock): lock is RobustLock {
  return "ownerDied" in lock;
}
