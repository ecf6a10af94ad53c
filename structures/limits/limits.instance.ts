import { assertOptions, type OptionKinds } from "../shared/arguments.ts";
import { assertMadeBy, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import gcraCas from "./competitors/gcra-cas.ts";
import gcraTable from "./competitors/gcra-table.ts";
import type { KeyBuckets, KeyedLimitsSetup, LimitsSetup } from "./limits.contract.ts";
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

/** What buckets by key are made for: the limit of each key. */
export interface BucketsOptions extends BucketOptions {
  /** Keys that may be limited at a time: 1 .. 2^22. Each takes 64 to 128 bytes. */
  readonly keys: number;
}

/** The shared memory of buckets by key, and what it was made for: plain data. */
export interface BucketsInstance extends KeyedLimitsSetup, Stamped {}

/**
 * A full bucket for each key, whose limit holds for all threads together: for each user, address or tenant. Any number of
 * keys may come; a key takes room only while its bucket is not full, and is never forgotten before. Beyond `keys` of them at
 * a time, takes of keys for which there is no room are refused: `waitMs` says until when at least. A worker may be
 * terminated at any moment. Two keys whose hashes share 48 bits share a bucket; the hash has no secret. Throws as makeBucket.
 */
export function makeBuckets(options: BucketsOptions): BucketsInstance {
  assertOptions("makeBuckets", options, { ...OF_MAKE, keys: "any" });
  const { capacity, perSecond, keys, workers = 1 } = options;
  const setup = { capacity, perSecond, keys, workers };
  const memory = allocateRegion(gcraTable.byKey.words(setup));
  gcraTable.byKey.format(memory, setup);
  return { memory, ...setup, stamp: stampOf(gcraTable, setup) };
}

/** The buckets as this thread uses them: as `attachBucket`. */
export function attachBuckets(instance: BucketsInstance, index?: number): KeyBuckets {
  const attach = (worker = workerIdentity(0, 1, 0)) =>
    gcraTable.byKey.attach(instance.memory, instance, worker);
  if (index !== undefined) return seated(gcraTable, instance, index, READING_OF_KEYS, attach);
  assertMadeBy(gcraTable, instance, READING_OF_KEYS);
  return attach();
}

const OF_MAKE: OptionKinds<BucketOptions> = { capacity: "any", perSecond: "any", workers: "any" };

const READING_OF_KEYS: Reading<BucketsInstance> = {
  counts: ({ capacity, perSecond, keys, workers }) => ({ capacity, perSecond, keys, workers }),
  seed: () => 0,
};

/** A bucket draws no random numbers: any seed will do. */
const READING: Reading<BucketInstance> = {
  counts: ({ capacity, perSecond, workers }) => ({ capacity, perSecond, workers }),
  seed: () => 0,
};
