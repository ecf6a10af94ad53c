import type { Lock, ScopedLock } from "../locks.contract.ts";

/**
 * Both kinds of handle as the narrower one, for whoever examines locks of both kinds and does not mind the call. A
 * race minds, and takes each as it is.
 */
export function scoped(lock: Lock | ScopedLock): Pick<ScopedLock, "hold" | "tryHold"> {
  if ("hold" in lock) return lock;
  return {
    hold(body) {
      lock.lock();
      body();
      lock.unlock();
    },
    tryHold(body) {
      if (!lock.tryLock()) return false;
      body();
      lock.unlock();
      return true;
    },
  };
}
