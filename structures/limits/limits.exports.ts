/**
 * A token bucket that all threads of a process share. `makeBucket` makes one of gcra-cas; all are modules of
 * their own, `hotpath-lab/limits/<name>`, each a LimitsCompetitor.
 */
export { freeSeat } from "../shared/instance.ts";
export type {
  AsyncTokenBucket,
  ClockNs,
  LimitsCompetitor,
  LimitsSetup,
  TokenBucket,
} from "./limits.contract.ts";
export {
  attachBucket,
  type Bucket,
  type BucketInstance,
  type BucketOptions,
  makeBucket,
} from "./limits.instance.ts";
export type { TakeOptions } from "./parts/waiting.ts";
