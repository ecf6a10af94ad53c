import type { Lock, LockCompetitor } from "../../locks/locks.contract.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/** A lock made of words, taken and released by two calls: what a set can keep beside the words it protects. */
export interface WordLock extends LockCompetitor {
  attach(memory: Region, worker: WorkerIdentity): Lock;
}

/**
 * One set for a whole crew: a competitor for one caller that keeps all its state in its region, behind a lock. The
 * locked sets differ in nothing but the lock and the set.
 *
 *     word 0    CLOCK   where the set's clock stands; written by the lock's holder, read by all, atomically
 *     word 1    LEFT    0 once an advance found that nothing due is left, else 1; the same
 *     word 32   LOCK    the lock's words
 *     after it, from the next line of 64 bytes: the set, read and written plainly by the lock's holder
 *
 * CLOCK and LEFT have a stride of their own. A caller that only asks whether there is anything to do reads a line that
 * changes when the clock moves. It does not read the lock's line, which changes with every call of any worker.
 *
 * A lock of one word and the set's first words share a stride, in neighbouring lines: the holder of the lock needs
 * them next.
 */
export function lockedTimers(
  lock: WordLock,
  inner: TimersCompetitor,
  traits: Pick<TimersCompetitor, "summary" | "source">,
): TimersCompetitor {
  return {
    ...traits,
    progress: lock.progress,
    order: inner.order,
    expiry: inner.expiry,
    callers: "crew",
    lateness: (delay) => inner.lateness(delay),

    words: (capacity, workers) => guarded(lock, workers) + inner.words(capacity, 1),

    format(memory, capacity, workers) {
      const start = guarded(lock, workers);
      lock.format(memory.subarray(LOCK, start), workers);
      inner.format(memory.subarray(start), capacity, 1);
      Atomics.store(memory, CLOCK, 0);
      Atomics.store(memory, LEFT, 0);
    },

    attach(memory, capacity, worker) {
      const start = guarded(lock, worker.workers);
      const set = inner.attach(memory.subarray(start), capacity, { ...worker, index: 0, workers: 1 });
      return new LockedTimers(memory, lock.attach(memory.subarray(LOCK, start), worker), set);
    },
  };
}

const CLOCK = 0;
const LEFT = 1;
const LOCK = STRIDE_WORDS;
/** A line of 64 bytes: sets lay their records out by it. */
const LINE_WORDS = 16;

/** The word where the set begins that the lock protects. */
function guarded(lock: WordLock, workers: number): number {
  return LOCK + Math.ceil(lock.words(workers) / LINE_WORDS) * LINE_WORDS;
}

/** One worker's view of a set behind a lock, which it takes for every call with the exceptions below. */
export class LockedTimers implements TimerSet {
  readonly #memory: Region;
  readonly #lock: Lock;
  readonly #timers: TimerSet;

  constructor(memory: Region, lock: Lock, timers: TimerSet) {
    this.#memory = memory;
    this.#lock = lock;
    this.#timers = timers;
  }

  add(deadline: number): number {
    this.#lock.lock();
    try {
      return this.#timers.add(deadline);
    } finally {
      this.#lock.unlock();
    }
  }

  cancel(handle: number): boolean {
    this.#lock.lock();
    try {
      return this.#timers.cancel(handle);
    } finally {
      this.#lock.unlock();
    }
  }

  refresh(handle: number, deadline: number): boolean {
    this.#lock.lock();
    try {
      return this.#timers.refresh(handle, deadline);
    } finally {
      this.#lock.unlock();
    }
  }

  /** Takes no lock where the clock is at `now` already and nothing is left over. */
  advance(now: number, out: Int32Array, budget: number): number {
    const memory = this.#memory;
    // In this order. The clock only moves forward, so it is at `now` or past it, too, when LEFT is seen to be 0. A
    // clock is published after the LEFT that belongs to it. That moment is when this advance took place.
    if (((now - Atomics.load(memory, CLOCK)) | 0) <= 0 && Atomics.load(memory, LEFT) === 0) return 0;
    this.#lock.lock();
    try {
      const count = this.#timers.advance(now, out, budget);
      // At the limit there may be more, or not: the next advance finds out.
      Atomics.store(memory, LEFT, count === Math.min(budget, out.length) ? 1 : 0);
      Atomics.store(memory, CLOCK, this.#timers.clock);
      return count;
    } finally {
      this.#lock.unlock();
    }
  }

  nextExpiry(): number | undefined {
    this.#lock.lock();
    try {
      return this.#timers.nextExpiry();
    } finally {
      this.#lock.unlock();
    }
  }

  get size(): number {
    this.#lock.lock();
    try {
      return this.#timers.size;
    } finally {
      this.#lock.unlock();
    }
  }

  /** Takes no lock. */
  get clock(): number {
    return Atomics.load(this.#memory, CLOCK);
  }
}
