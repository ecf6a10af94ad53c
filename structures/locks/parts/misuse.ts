/** What an unlock throws that sees, in what it has to read anyway, that the lock is free. */
export function unlockedFree(): Error {
  return new Error("unlock: nobody holds this lock: unlock once for each lock or tryLock that took it");
}
