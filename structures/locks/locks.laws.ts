import type { LockCompetitor } from "./locks.contract.ts";

/**
 * The promises of a lock as pure functions over what was observed. Each returns undefined, or one sentence that says
 * what broke and by how much.
 */

/**
 * At most one worker is inside. `violations` counts the entries at which a worker saw that it had company, by the
 * method of `parts/section.ts`.
 */
export function mutualExclusion(seen: { acquisitions: number; violations: number }): string | undefined {
  if (seen.violations === 0) return undefined;
  return `mutualExclusion: ${seen.violations} of ${seen.acquisitions} acquisitions had company inside`;
}

/**
 * Conservation: the plain counter that every holder raises by one counts every acquisition. `entries` is that counter,
 * an int32 that wraps.
 */
export function acquisitionsAreConserved(seen: {
  acquisitions: number;
  entries: number;
}): string | undefined {
  const lost = (seen.acquisitions - seen.entries) | 0;
  if (lost === 0) return undefined;
  return `acquisitionsAreConserved: ${seen.acquisitions} acquisitions were made, the counter inside has ${lost} fewer`;
}

/** Progress: every worker gets through its share of acquisitions. */
export function everyWorkerFinishes(seen: { workers: number; finished: number }): string | undefined {
  const stuck = seen.workers - seen.finished;
  if (stuck === 0) return undefined;
  return `everyWorkerFinishes: ${stuck} of ${seen.workers} workers are stuck`;
}

/**
 * A worker that comes after the holder was terminated gets through only where its lock promises it. Where the lock
 * recovers, it gets through after that was reported.
 */
export function deadHolderIsAsClaimed(
  deadHolder: LockCompetitor["deadHolder"],
  { finished }: { finished: number },
): string | undefined {
  if (deadHolder === "keeps")
    return finished === 0
      ? undefined
      : "deadHolderIsAsClaimed: a dead holder keeps the lock, and it was taken";
  return finished > 0
    ? undefined
    : `deadHolderIsAsClaimed: a lock ${deadHolder === "releases" ? "is released by" : "recovers from"} a dead holder, and it stayed taken`;
}

/**
 * Among the workers that take the lock after the deaths of holders were reported, one for each death learns that the
 * data may be inconsistent. That worker marks them consistent.
 */
export function ownerDeathIsToldOnce(seen: { deaths: number; told: number }): string | undefined {
  if (seen.told === seen.deaths) return undefined;
  return `ownerDeathIsToldOnce: ${seen.deaths} holders died, and ${seen.told} later holders learned of it`;
}

/** A lock that was released without the data being marked consistent cannot be taken any more. */
export function inconsistentDataAreNotPassedOn({ taken }: { taken: boolean }): string | undefined {
  return taken
    ? "inconsistentDataAreNotPassedOn: the lock was taken after it was released with inconsistent data"
    : undefined;
}

/**
 * No lost wake-up: a crew does not stand still over a lock that is free. `waiting` counts its workers that do not go
 * on, including the ones that wait for the stranded one.
 */
export function waitersAreWoken(seen: { waiting: number; free: boolean }): string | undefined {
  if (seen.waiting === 0 || !seen.free) return undefined;
  return `waitersAreWoken: ${seen.waiting} workers do not go on although the lock is free`;
}

/** `tryLock` takes a free lock and no other, and its answer is true. `wrong` counts the wrong answers. */
export function tryLockIsTrue(seen: { asked: number; wrong: number }): string | undefined {
  if (seen.wrong === 0) return undefined;
  return `tryLockIsTrue: ${seen.wrong} of ${seen.asked} answers were wrong`;
}
