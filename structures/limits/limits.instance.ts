import { assertOptions, type OptionKinds } from "../shared/arguments.ts";
import { assertMadeBy, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import gcraCas from "./competitors/gcra-cas.ts";
import type { LimitsSetup } from "./limits.contract.ts";
import { type WaitingBucket, waiting } from "./parts/waiting.ts";

/** What a bucket is made for. */
export interface BucketOptions {
  /** Tokens of a full bucket, and most that one take may ask for: an integer in 1 .. 2^30. */
  readonly capacity: number;
  /** Tokens that come in a second: 1e-5 .. 1e9. An empty bucket has to fill within 1e9 s. */
  readonly perSecond: number;
  /** Seats, for workers that attach by their index: 1 .. 65,536; 1 if absent. */
  readonly workers?: number | undefined;
}

/** A bucket's shared memory, and what it was made for: plain data, which crosses to workers by structured clone. */
export interface BucketInstance extends LimitsSetup, Stamped {}

/** One thread's handle. Not to be passed to another thread. */
export interface Bucket extends WaitingBucket {}

/**
 * A full bucket, whose limit holds for all threads together. In any w seconds they are granted at most `capacity` +
 * `perSecond` * w tokens. A worker may be terminated at any moment. Throws a RangeError for options outside their
 * ranges, and a TypeError for others.
 */
export function makeBucket(options: BucketOptions): BucketInstance {
  assertOptions("makeBucket", options, OF_MAKE);
  const { capacity, perSecond, workers = 1 } = options;
  const setup = { capacity, perSecond, workers };
  const memory = allocateRegion(gcraCas.words(setup));
  gcraCas.format(memory);
  return { memory, ...setup, stamp: stampOf(gcraCas, setup) };
}

/**
 * The bucket as this thread uses it; once in each thread is enough. A bucket keeps nothing for a worker, so that any
 * number of threads may attach without an index. With one, 0 .. workers - 1, the seat of that number is taken, as in
 * other structures, and `freeSeat` gives it to another. Throws, in one line, for a value that `makeBucket` did not
 * return, for an index that is no worker's, and for a seat that is taken.
 */
export function attachBucket(instance: BucketInstance, index?: number): Bucket {
  const attach = (worker = workerIdentity(0, 1, 0)) =>
    waiting(gcraCas.attach(instance.memory, instance, worker));
  if (index !== undefined) return seated(gcraCas, instance, index, READING, attach);
  assertMadeBy(gcraCas, instance, READING);
  return attach();
}

const OF_MAKE: OptionKinds<BucketOptions> = { capacity: "any", perSecond: "any", workers: "any" };

/** A bucket draws no random numbers: any seed will do. */
const READING: Reading<BucketInstance> = {
  counts: ({ capacity, perSecond, workers }) => ({ capacity, perSecond, workers }),
  seed: () => 0,
};
