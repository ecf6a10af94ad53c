import type { LockCompetitor, RobustLock } from "../../locks/locks.contract.ts";
import { assertSettled, heldAsync, mendOf, underLock, underLockAsync } from "../../locks/parts/acquire.ts";
import { type Region, wholeStrides } from "../../shared/layout.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type { RequestOptions } from "../keyed.contract.ts";
import { NO_KEY } from "./key.ts";
import { SUSPECT_WORDS, Suspects } from "./suspects.ts";
import { Turns } from "./turns.ts";

/** The lock of a stripe, made of words alone. Its first word names its holder, as that of robust-futex does. */
export interface StripeLock extends Required<Pick<LockCompetitor, "words" | "format" | "workerExited">> {
  attach(memory: Region, worker: WorkerIdentity): RobustLock;
  /** Whether they are those of shared/ticket-words.ts. */
  readonly hasTickets?: true;
}

/** Words from one stripe to the next: no two share a line. */
export function stripeWords(lock: StripeLock, workers: number): number {
  return wholeStrides(lock.words(workers) + FIRST_SUSPECT + SUSPECT_WORDS);
}

/**
 * One worker's handle of a lock that several keys share.
 *
 * The lock knows that a holder has died, but not with which key. The data of that key may be halfway through a change, and
 * those of the others are whole. So the stripe notes the key that is held. The first to hold the lock after a death makes
 * that key a suspect. It stays one until a request for the same key has mended the data, and until then requests for the
 * other keys need not care. A key is known by its hash: one that has the same 32 bits is taken for the other.
 *
 *     words of the lock
 *     word 0  key       the key that is held, NO_KEY where none is
 *     words 1 .. 30     the suspects (suspects.ts)
 *
 * Only the holder reads and writes these words, so plain accesses do. What a dead holder wrote is visible to the one that
 * is told of its exit, and passed on with the lock.
 */
export class Stripe {
  readonly #lock: RobustLock;
  readonly #notes: Region;
  /** Of the requests of this thread that may wait. Only one of them at a time waits for the lock. */
  readonly #turns = new Turns();

  readonly #suspects: Suspects;

  /** `memory` are the words of the stripe, and `shared` those that all stripes have for their suspects. */
  constructor(lock: StripeLock, memory: Region, shared: Region, worker: WorkerIdentity) {
    const words = lock.words(worker.workers);
    const suspects = words + FIRST_SUSPECT;
    this.#lock = lock.attach(memory.subarray(0, words), worker);
    this.#notes = memory.subarray(words, suspects);
    this.#suspects = new Suspects(memory.subarray(suspects, suspects + SUSPECT_WORDS), shared);
  }

  /** Blocks the thread until it has called `body` with the lock held. */
  holdSync<Result>(key: number, body: () => Result, mend: RequestOptions["mend"]): Result {
    // It may hold the lock already, or wait in a place that this thread cannot leave while it is blocked.
    if (this.#turns.isTaken)
      throw new Error(
        "requestSync: a request of this thread for the key, or for one that shares its stripe, is not settled, and may wait for this one: use request",
      );
    const held = () => {
      const notes = this.#notes;
      notes[KEY] = key;
      try {
        if (this.#suspects.has(key)) {
          assertSettled("requestSync: the mend", "key", mendOf("requestSync", mend)());
          this.#suspects.delete(key);
        }
        const result = body();
        assertSettled("requestSync: the body", "key", result);
        return result;
      } finally {
        notes[KEY] = NO_KEY;
      }
    };
    return underLock(this.#lock, held, this.#suspectHeld);
  }

  /** The same without blocking it. The lock is held until what `body` returned is settled. */
  async hold<Result>(
    key: number,
    body: () => Result | PromiseLike<Result>,
    { mend, signal }: Pick<RequestOptions, "mend" | "signal">,
  ): Promise<Result> {
    if (!this.#turns.tryTake()) await this.#turns.take(signal);
    try {
      const options = { mend: this.#suspectHeld, signal };
      return await underLockAsync(this.#lock, () => this.#held(key, body, mend), options);
    } finally {
      this.#turns.pass();
    }
  }

  /** The same if the lock can be had at once, else `otherwise` without it. */
  async holdIfFree<Result>(
    key: number,
    body: () => Result | PromiseLike<Result>,
    mend: RequestOptions["mend"],
    otherwise: () => Result | PromiseLike<Result>,
  ): Promise<Result> {
    if (!this.#turns.tryTake()) return otherwise();
    let isHeld = false;
    try {
      isHeld = this.#lock.tryLock();
      if (isHeld) return await heldAsync(this.#lock, () => this.#held(key, body, mend), this.#suspectHeld);
    } finally {
      this.#turns.pass();
    }
    return otherwise();
  }

  async #held<Result>(
    key: number,
    body: () => Result | PromiseLike<Result>,
    mend: RequestOptions["mend"],
  ): Promise<Result> {
    const notes = this.#notes;
    notes[KEY] = key;
    try {
      if (this.#suspects.has(key)) {
        await mendOf("request", mend)();
        this.#suspects.delete(key);
      }
      return await body();
    } finally {
      notes[KEY] = NO_KEY;
    }
  }

  /** What the lock calls mending: afterwards the stripe knows which key's data may be inconsistent. */
  readonly #suspectHeld = (): void => {
    const key = this.#notes[KEY]!;
    if (key !== NO_KEY) this.#suspects.add(key);
  };
}

const KEY = 0;
const FIRST_SUSPECT = 1;
