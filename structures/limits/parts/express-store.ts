import { attachBuckets, type BucketsInstance } from "../limits.instance.ts";

/** What express-rate-limit, from 7 on, asks of a store. */
export interface ExpressStore {
  init(options: ExpressOptions): void;
  increment(key: string): { readonly totalHits: number; readonly resetTime: Date };
  decrement(key: string): void;
  resetKey(key: string): void;
  /** False: all threads share the keys. */
  readonly localKeys: false;
}

export interface ExpressOptions {
  readonly limit?: unknown;
  readonly skipFailedRequests?: boolean;
  readonly skipSuccessfulRequests?: boolean;
}

/**
 * The buckets as a store of express-rate-limit, so that all workers of a server keep one limit:
 * `rateLimit({ limit: 100, windowMs: 60_000, store: expressStore(instance) })` for buckets of `capacity` 100. Its `windowMs`
 * is shown alone; `perSecond` says when tokens come. What was taken is not given back, so `skipFailedRequests`,
 * `skipSuccessfulRequests` and a `limit` that is not the capacity throw. Called in each worker. Throws as attachBuckets.
 */
export function expressStore(instance: BucketsInstance): ExpressStore {
  const buckets = attachBuckets(instance);
  const { capacity, perSecond } = instance;
  const refuse = () => {
    throw new Error(
      "expressStore: what was taken is not given back: leave out resetKey and the skip options",
    );
  };
  return {
    localKeys: false,
    init({ limit, skipFailedRequests, skipSuccessfulRequests }) {
      if (limit !== capacity)
        throw new RangeError(
          `expressStore: limit ${String(limit)} is not the capacity, ${capacity}: give it`,
        );
      if (skipFailedRequests || skipSuccessfulRequests) refuse();
    },
    increment(key) {
      const isTaken = buckets.tryTake(key);
      const waitMs = buckets.waitMs(key, isTaken ? capacity : 1);
      const missing = Math.max(1, Math.min(capacity, Math.ceil((waitMs * perSecond) / MS_PER_S)));
      return { totalHits: isTaken ? missing : capacity + 1, resetTime: new Date(Date.now() + waitMs) };
    },
    decrement: refuse,
    resetKey: refuse,
  };
}

const MS_PER_S = 1000;
