import type { NoPromise } from "../locks/parts/acquire.ts";
import { assertInteger, assertOptions, type OptionKinds, shown } from "../shared/arguments.ts";
import { type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { assertWorkers } from "../shared/worker-identity.ts";
import stripedRobustFair from "./competitors/striped-robust-fair.ts";
import stripedRobustFutex from "./competitors/striped-robust-futex.ts";
import type { Body, HeldKey, Key, KeyedSetup, RequestOptions } from "./keyed.contract.ts";
import type { Habits, Nesting } from "./parts/striped.ts";

/** A set of locks by key and the number of its workers. It crosses to them by structured clone. */
export interface LocksInstance extends Stamped, Required<KeyedSetup> {
  readonly fair: boolean;
  readonly deadHolder: "recovers" | "releases";
}

export interface LocksSetup extends Omit<KeyedSetup, "suspects"> {
  /**
   * Whether workers get a key in the order in which they came. Without it a worker that runs may take a key ahead of one
   * that is being woken, and a worker with many requests for one key may keep it for as long as it has them.
   */
  readonly fair?: boolean | undefined;
  /**
   * What a dead holder's key is to its next request without a `mend`. `recovers`, if absent: refused with the code
   * EOWNERDEAD, so that no body sees data that are half changed. `releases`: free, with the data as they are, as in the Web
   * Locks API: for data that a death cannot leave half changed, rows of a database say.
   */
  readonly deadHolder?: "recovers" | "releases" | undefined;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Locks {
  /**
   * Calls `body` while this worker holds the key, and resolves to what it returned or resolved to; the key is released
   * then. Without blocking the thread, as `request` of the Web Locks API, in its words and with its errors. Requests of
   * one thread for one key run in the order in which they were made.
   *
   * If a holder of this key died, `mend` is called first. Without it rejects with an Error with the code EOWNERDEAD, the
   * body does not run, and the next holder has the data to mend; unless the set was made to release such keys.
   *
   * Rejects with the reason of `signal` if that aborts before the key is held, by default an AbortError. Rejects with an
   * Error inside the body of another request of this set, whichever its key: it might wait for itself, or for another
   * worker that waits for it. It does not see that a body waits for a task that was begun before it.
   */
  request<Result>(key: Key, body: (key: HeldKey) => Result | PromiseLike<Result>): Promise<Result>;
  request<Result>(
    key: Key,
    options: RequestOptions & { readonly ifAvailable: true },
    body: Body<Result>,
  ): Promise<Result>;
  request<Result>(
    key: Key,
    options: RequestOptions & { readonly ifAvailable?: false | undefined },
    body: (key: HeldKey) => Result | PromiseLike<Result>,
  ): Promise<Result>;
  /**
   * The same for a body that returns no promise, and returns what it returned. Blocks the thread until then, so a
   * browser's main thread must not call it. Throws where `request` rejects. Throws as well while a `request` of this thread
   * for a key of the same stripe is not settled, and a TypeError if `body` or `mend` returned a promise.
   */
  requestSync<Result, Mended>(
    key: Key,
    body: () => NoPromise<Result>,
    options?: { readonly mend?: (() => NoPromise<Mended>) | undefined },
  ): Result;
}

/** 2^20 stripes are 128 MiB. */
const MOST_STRIPES = 2 ** 20;
/** Words for keys of dead holders beyond what stripes have room for. */
const SUSPECTS = 2 ** 12;

/**
 * Locks by key for a crew of `workers`. All keys together have `stripes` locks; a hash says which is whose. **Two keys may
 * share a lock, and then exclude each other.** Where k keys are held at a time, a request finds the lock of its key held for
 * another with a probability of k / stripes: with a hundred stripes for each of them it is 1 %. A stripe has 128 bytes, with
 * `fair` 256 for up to 31 workers, and the set 16 KiB more.
 *
 * The set remembers which keys dead holders had until their data are mended: 28 in each stripe, and 4,095 in all besides. A
 * stripe with more takes all its keys for such from then on, so that `mend` runs before every body.
 *
 * Throws a RangeError for `stripes` that are not in 1 .. 2^20, and for `workers` that are not in 1 .. 65536, and a TypeError
 * for options that there are not.
 */
export function createLocks(options: LocksSetup): LocksInstance {
  assertOptions("createLocks", options, OF_CREATE);
  const { stripes, workers, fair = false, deadHolder = "recovers" } = options;
  assertInteger("stripes", stripes, 1, MOST_STRIPES);
  assertWorkers(workers);
  if (deadHolder !== "recovers" && deadHolder !== "releases")
    throw new TypeError(`createLocks: deadHolder ${shown(deadHolder)} is neither "recovers" nor "releases"`);
  const setup = { stripes, workers, suspects: SUSPECTS };
  const competitor = competitorOf({ fair });
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  const holderWords = competitor.holderWordsOf(setup);
  return { memory, ...setup, fair, deadHolder, stamp: stampOf({ ...competitor, holderWords }, setup) };
}

/**
 * The locks as worker `index`, 0 .. workers - 1, uses them. Called in that worker's thread. A seat has one holder:
 * another attaches after `freeSeat`, which frees the keys that the worker held; `adopt` calls it when a worker exits.
 * Throws, in one line, for a value that createLocks did not return, for an index that is no worker's, for a seat that is
 * taken, and for options that there are not.
 */
export function attachLocks(instance: LocksInstance, index: number, nesting: Nesting = {}): Locks {
  assertOptions("attachLocks", nesting, OF_ATTACH);
  const competitor = competitorOf(Object(instance));
  return seated(competitor, instance, index, READING, (worker) => {
    const habits: Habits = instance.deadHolder === "releases" ? { ...nesting, mend: leftAsTheyAre } : nesting;
    return competitor.attach(instance.memory, instance, worker, habits) as unknown as Locks;
  });
}

/** Mends nothing. */
function leftAsTheyAre(): void {}

const OF_CREATE: OptionKinds<LocksSetup> = {
  stripes: "any",
  workers: "any",
  fair: "boolean",
  deadHolder: "any",
};
const OF_ATTACH: OptionKinds<Nesting> = { checksNesting: "boolean" };

function competitorOf({ fair }: Pick<LocksInstance, "fair">) {
  return fair ? stripedRobustFair : stripedRobustFutex;
}

/** They draw no random numbers: any seed will do. */
const READING: Reading<LocksInstance> = {
  counts: ({ stripes, workers, suspects }) => ({ stripes, workers, suspects }),
  seed: () => 0,
};
