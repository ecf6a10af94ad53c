import { allocateRegion, type Region } from "../shared/layout.ts";
import { type Seat, seatOf } from "../shared/seat.ts";
import type { Lock, LockCompetitor, ScopedLock } from "./locks.contract.ts";

/** A lock that is formatted, and for how many workers: what crosses to them by structured clone. */
export interface LockInstance {
  readonly memory: Region;
  readonly workers: number;
  /** What a lock shares besides its words; undefined where those are all. */
  readonly shared: unknown;
}

export function makeInstance(competitor: LockCompetitor, workers: number): LockInstance {
  const memory = allocateRegion(competitor.words(workers));
  competitor.format(memory, workers);
  return { memory, workers, shared: competitor.share?.() };
}

/**
 * The lock as worker `index`, 0 .. workers - 1, holds it, in whose thread this is called: once for each. Which kind of
 * handle it is, is known where the competitor's type tells.
 */
export function attachTo<Handle extends Lock | ScopedLock>(
  competitor: { attach(memory: Region, seat: Seat, shared?: unknown): Handle },
  { memory, workers, shared }: LockInstance,
  index: number,
): Handle {
  return competitor.attach(memory, seatOf(index, workers, NO_SEED), shared);
}

/** Locks draw no random numbers. */
const NO_SEED = 0;
