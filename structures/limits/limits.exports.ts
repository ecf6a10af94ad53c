/**
 * A token bucket that all threads of a process share, or one for each key. `makeBucket` makes one of gcra-cas; all are modules of
 * their own, `hotpath-lab/limits/<name>`, each a LimitsCompetitor.
 */
export { freeSeat } from "../shared/instance.ts";
export type {
  AsyncKeyBuckets,
  AsyncTokenBucket,
  ClockNs,
  KeyBuckets,
  KeyedLimitsSetup,
  LimitsByKey,
  LimitsCompetitor,
  LimitsSetup,
  TokenBucket,
} from "./limits.contract.ts";
export {
  attachBucket,
  attachBuckets,
  type Bucket,
  type BucketInstance,
  type BucketOptions,
  type BucketsInstance,
  type BucketsOptions,
  makeBucket,
  makeBuckets,
} from "./limits.instance.ts";
export {
  type ExpressStore,
  expressStore,
} from "./parts/express-store.ts";
export type { TakeOptions } from "./parts/waiting.ts";
