/** What a lock throws that sees, in what it has to read anyway, that the worker that wants it holds it. */
export function lockedTwice(): Error {
  return new Error("lock: this worker holds the lock, and would wait for itself: unlock it first");
}

/** What an unlock throws that sees, in what it has to read anyway, that the lock is free. */
export function unlockedFree(): Error {
  return new Error("unlock: nobody holds this lock: unlock once for each lock or tryLock that took it");
}

/** The same where another worker holds it. */
export function unlockedAnothers(): Error {
  return new Error(
    "unlock: another worker holds this lock: unlock once for each lock or tryLock that took it",
  );
}

/** What workers get that want a lock which was released with inconsistent data. */
export function notRecoverable(): Error {
  const error = new Error(
    "this lock is unusable: its holder died, and the next holder did not call markConsistent: make another",
  );
  return Object.assign(error, { code: NOT_RECOVERABLE });
}

/** The name of pthread_mutex_lock(3) for it. */
export const NOT_RECOVERABLE = "ENOTRECOVERABLE";
