import type { Key } from "../keyed/keyed.contract.ts";
import { assertInteger, shown } from "../shared/arguments.ts";
import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import { assertWorkers, type WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A token bucket for worker threads: `capacity` tokens at most, `perSecond` more each second, full at first.
 *
 * The limit: in any window of time of w seconds, at most `capacity` + `perSecond` * w tokens are granted. Times are
 * those that the takes read from the clock. Each reading lies within its call, so a thread that was interrupted
 * between its reading and its return counts at its reading.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and
 * calls a handle of its own. A worker may take over the seat of one that ended (shared/instance.ts).
 */
export interface LimitsCompetitor extends Traits {
  /**
   * Whose limit it is. `one`: that of all workers together, who take from one bucket. `split`: each worker has a part
   * of capacity and rate. The parts together keep the limit; what one worker leaves is lost to the others.
   */
  readonly scope: "one" | "split";
  /**
   * When tokens come. `continuous`: each when it is due. `window`: all at once, when a fixed window of the bucket's
   * fill time is over. Up to two capacities are then granted in a short time, where one window ends and the next
   * begins.
   */
  readonly refill: "continuous" | "window";
  /** Tokens by which rounding may exceed the limit; 0 where the limit is exact. */
  mostOver(setup: LimitsSetup): number;
  /** Nanoseconds by which rounding may delay a token beyond the time when it is due. */
  mostLateNs(setup: LimitsSetup): number;
  /**
   * Set where it reads a clock of its own, `performance.now` or `Date.now`, and not the one it is given: what that
   * clock resolves, in nanoseconds.
   */
  readonly ownClockNs?: number;
  /** Buckets by key; absent where it has one bucket alone. */
  readonly byKey?: LimitsByKey;
  /** Size in int32 words; 0 where all memory is private. Throws a RangeError as `assertSetup` does. */
  words(setup: LimitsSetup): number;
  /** `nowNs` is the clock, here and for all that attach; the process's if absent. */
  format(memory: Region, setup: LimitsSetup, nowNs?: ClockNs): void;
  attach(
    memory: Region,
    setup: LimitsSetup,
    worker: WorkerIdentity,
    nowNs?: ClockNs,
  ): TokenBucket | AsyncTokenBucket;
}

/** A bucket of this kind for each key, full until it is asked. What is left out is as of one bucket. */
export interface LimitsByKey {
  words(setup: KeyedLimitsSetup): number;
  format(memory: Region, setup: KeyedLimitsSetup): void;
  attach(
    memory: Region,
    setup: KeyedLimitsSetup,
    worker: WorkerIdentity,
    nowNs?: ClockNs,
  ): KeyBuckets | AsyncKeyBuckets;
}

/** Integers of nanoseconds from any beginning. Of two readings in different threads, the later one is no less. */
export type ClockNs = () => number;

/** What a bucket is made for. */
export interface LimitsSetup {
  /** Tokens of a full bucket: 1 .. MOST_CAPACITY. */
  readonly capacity: number;
  /** Tokens that come in a second: LEAST_PER_SECOND .. MOST_PER_SECOND, not necessarily an integer. */
  readonly perSecond: number;
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
}

/** The limit of each key. */
export interface KeyedLimitsSetup extends LimitsSetup {
  /** Keys that may be limited at a time, which is while their buckets are not full: 1 .. MOST_KEYS. */
  readonly keys: number;
}

/** One worker's handle of buckets by key. Not to be passed to another thread. */
export interface KeyBuckets {
  /**
   * As TokenBucket's, of the key's bucket. Refused as well where there is no room for one more key: a key that is limited
   * is never forgotten for another. Throws a TypeError for a key that is none.
   */
  tryTake(key: Key, n?: number): boolean;
  /** As TokenBucket's; where there is no room for the key, until there may be. */
  waitMs(key: Key, n?: number): number;
}

/** The handle of buckets by key that answer by promises. */
export interface AsyncKeyBuckets {
  tryTakeAsync(key: Key, n?: number): Promise<boolean>;
}

/** One worker's handle. Not to be passed to another thread. */
export interface TokenBucket {
  /**
   * Takes `n` tokens, 1 if absent, and returns true; or takes none and returns false. Throws a RangeError for `n`
   * outside 1 .. capacity: such a take would never succeed.
   */
  tryTake(n?: number): boolean;
  /**
   * Milliseconds until `tryTake(n)` will succeed, unless another take comes first; 0 where it would now. Not rounded
   * to what timers resolve. Infinity if this worker's part never holds `n` tokens. Throws as `tryTake` does.
   */
  waitMs(n?: number): number;
}

/** The handle of a bucket that answers by promises. */
export interface AsyncTokenBucket {
  /** As `tryTake`, with a promise of the answer. */
  tryTakeAsync(n?: number): Promise<boolean>;
}

export const MOST_CAPACITY = 2 ** 30;
/** A token a day is 0.0000116 a second. */
export const LEAST_PER_SECOND = 1e-5;
/** A token for each nanosecond that the clock resolves. */
export const MOST_PER_SECOND = 1e9;
/** Seconds that an empty bucket may take to fill, 31 years: its ticks then fit into 60 bits. */
export const MOST_FILL_S = 1e9;

/** A table for as many has 512 MiB. */
export const MOST_KEYS = 2 ** 22;

/** The checks that `words` starts with. They throw the RangeErrors that it promises. */
export function assertSetup({ capacity, perSecond, workers }: LimitsSetup): void {
  assertInteger("capacity", capacity, 1, MOST_CAPACITY);
  if (!(typeof perSecond === "number" && perSecond >= LEAST_PER_SECOND && perSecond <= MOST_PER_SECOND))
    throw new RangeError(
      `perSecond ${shown(perSecond)} is not a number in ${LEAST_PER_SECOND} .. ${MOST_PER_SECOND}`,
    );
  if (capacity / perSecond > MOST_FILL_S)
    throw new RangeError(
      `capacity ${capacity} at ${perSecond} a second takes over ${MOST_FILL_S} s to fill: lower capacity or raise perSecond`,
    );
  assertWorkers(workers);
}

/** Throws the RangeError that `tryTake` promises. */
export function assertTokens(n: number, capacity: number): void {
  if (!(Number.isInteger(n) && n >= 1 && n <= capacity))
    throw new RangeError(`n ${shown(n)} is not an integer in 1 .. ${capacity}, the capacity`);
}

export const contract = {
  question: "Which token bucket keeps one limit for all workers at the least cost to each take?",
  oracle: "locked-bucket",
  fields: {
    scope: { one: true, split: true },
    refill: { continuous: true, window: true },
    mostOver: "function",
    mostLateNs: "function",
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { ownClockNs: "number", byKey: "object" },
  footprint(competitor) {
    const words = competitor.words({ capacity: 100, perSecond: 100, workers: 8 });
    return words === 0 ? "private memory" : `${words * Int32Array.BYTES_PER_ELEMENT} B shared`;
  },
} satisfies Contract<LimitsCompetitor>;
