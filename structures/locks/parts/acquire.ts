import { onAbort } from "../../shared/abort-calls.ts";
import { assertFunction, assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import type { Lock, RobustLock, ScopedLock, SleepingLock } from "../locks.contract.ts";
import { assertNotAwaited, noteAwaited } from "./awaited.ts";
import { isRobust } from "./scope.ts";

/**
 * Other ways to take a lock than `lock` and `tryLock`. They use only a handle's operations, which do not depend on them
 * and cost what they did.
 */

/** `never` for a promise. */
export type NoPromise<Result> = Result extends PromiseLike<unknown> ? never : Result;

/** For a lock that recovers from the death of its holder: see RobustLock. */
export interface Mending<Result> {
  /**
   * Mends the data that a dead holder left, before `body` runs. What it throws is passed on, `body` does not run, and the
   * next holder has the data to mend.
   */
  readonly mend?: (() => Result) | undefined;
}

/**
 * Calls `body` while this worker holds the lock, and returns what it returned. The lock is released where it throws,
 * too. Blocks the thread until the lock is taken.
 *
 * If the last holder died, the data may be halfway through its change. Then `mend` is called first and the data are marked
 * consistent. Without `mend` throws an Error with the code EOWNERDEAD, `body` does not run, and the next holder has the
 * data to mend. Only a RobustLock knows of the death: v8-atomics-mutex gives `body` the data as they are.
 *
 * Throws an Error if this thread holds the lock already, by withLock or withLockAsync and the same handle, or if a task of it
 * waits so: it would wait for itself. Throws a TypeError if `body` or `mend` returned a promise, because the lock is released before that is
 * settled: see withLockAsync.
 */
export function withLock<Result, Mended>(
  lock: Lock | ScopedLock,
  body: () => NoPromise<Result>,
  options: Mending<NoPromise<Mended>> = {},
): Result {
  assertLock("withLock", lock);
  assertFunction("withLock", "body", body);
  assertOptions("withLock", options, MENDING);
  return underLock(lock, body, options.mend);
}

/** The same without a look at its arguments. */
export function underLock<Result>(
  lock: Lock | ScopedLock,
  body: () => Result,
  mend: (() => unknown) | undefined,
): Result {
  if (locksHeld.includes(lock))
    throw new Error(
      "withLock: this thread holds the lock, and would wait for itself: do it in the outer body",
    );
  if (isSleeping(lock)) assertNotAwaited("withLock", lock.word);
  const result = "hold" in lock ? heldForCall(lock, body) : held(lock, body, mend);
  assertSettled("withLock: the body", "lock", result);
  return result;
}

function held<Result>(lock: Lock, body: () => Result, mend: (() => unknown) | undefined): Result {
  lock.lock();
  locksHeld.push(lock);
  try {
    if (hasDeadOwner(lock)) {
      assertSettled("withLock: the mend", "lock", mendOf("withLock", mend)());
      lock.markConsistent();
    }
    return body();
  } finally {
    release(lock);
  }
}

function heldForCall<Result>(lock: ScopedLock, body: () => Result): Result {
  let result: { readonly of: Result } | undefined;
  lock.hold(() => {
    locksHeld.push(lock);
    try {
      result = { of: body() };
    } finally {
      forgetHeld(lock);
    }
  });
  return result!.of;
}

/** `what` returned the value under a lock, or a key, that is released without waiting. */
export function assertSettled(what: string, held: "lock" | "key", value: unknown): void {
  if (typeof (value as PromiseLike<unknown> | undefined)?.then !== "function") return;
  const instead = { lock: "withLockAsync", key: "request" }[held];
  throw new TypeError(`${what} returned a promise, and the ${held} is released: use ${instead}`);
}

/** For a caller that may stop waiting. */
export interface Leaving {
  /** Ends the wait, which then rejects with its reason. Once the lock is taken it has no effect. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The same without blocking the thread, for a `body` and a `mend` that may return promises: the lock is released when the
 * promise is settled. Until then no code of this thread may call `lock`, which would keep the thread from ever settling
 * it; withLock throws. A `body` that waits for this lock by withLockAsync waits for itself, for ever. This cannot be
 * detected: other tasks of the thread may wait so.
 */
export async function withLockAsync<Result>(
  lock: SleepingLock,
  body: () => Result | PromiseLike<Result>,
  options: Mending<unknown> & Leaving = {},
): Promise<Result> {
  assertLock("withLockAsync", lock);
  assertFunction("withLockAsync", "body", body);
  assertOptions("withLockAsync", options, MENDING_OR_LEAVING);
  return underLockAsync(lock, body, options);
}

/** The same without a look at its arguments. */
export async function underLockAsync<Result>(
  lock: SleepingLock,
  body: () => Result | PromiseLike<Result>,
  { mend, signal }: Mending<unknown> & Leaving,
): Promise<Result> {
  await takenAsync(lock, Number.POSITIVE_INFINITY, signal);
  return heldAsync(lock, body, mend);
}

/** The same for a lock that this worker has taken. */
export async function heldAsync<Result>(
  lock: SleepingLock,
  body: () => Result | PromiseLike<Result>,
  mend?: () => unknown,
): Promise<Result> {
  locksHeld.push(lock);
  try {
    if (hasDeadOwner(lock)) {
      await mendOf("withLockAsync", mend)();
      lock.markConsistent();
    }
    return await body();
  } finally {
    release(lock);
  }
}

function hasDeadOwner(lock: Lock): lock is RobustLock {
  return isRobust(lock) && lock.ownerDied;
}

/** Throws what a holder gets that finds a dead one's data and has no `mend`. */
export function mendOf(caller: string, mend: (() => unknown) | undefined): () => unknown {
  if (mend !== undefined) return mend;
  const error = new Error(
    `${caller}: the last holder died, and may have left its change half done: give { mend }, which makes the data whole`,
  );
  throw Object.assign(error, { code: OWNER_DEAD });
}

/** The name of pthread_mutex_lock(3) for it. */
const OWNER_DEAD = "EOWNERDEAD";

function release(lock: Lock): void {
  forgetHeld(lock);
  unlockAsFound(lock);
}

/** Data that nobody has mended are left to the next holder. */
function unlockAsFound(lock: Lock): void {
  if (hasDeadOwner(lock)) lock.unlockInconsistent();
  else lock.unlock();
}

/**
 * What this thread holds by withLock and withLockAsync. A list of its own, as a flag of each handle would cost every `lock`
 * and `unlock` two stores. It seldom has more than one entry.
 */
const locksHeld: (Lock | ScopedLock)[] = [];

function forgetHeld(lock: Lock | ScopedLock): void {
  locksHeld.splice(locksHeld.lastIndexOf(lock), 1);
}

/**
 * Takes the lock as `lock` does, or gives up once it could not be taken for `ms` milliseconds, from 0 on. Returns
 * whether it took it. Blocks the thread until then. After taking a RobustLock look at its `ownerDied`. Throws a
 * RangeError for another number, and a TypeError for a lock that is no SleepingLock. Throws an Error where it would block
 * while a task of this thread waits on the handle by lockAsync. `now`, in milliseconds, is for tests.
 */
export function lockWithin(lock: SleepingLock, ms: number, now: () => number = monotonic): boolean {
  assertLock("lockWithin", lock);
  if (ms > 0) assertNotAwaited("lockWithin", lock.word);
  const attempts = attemptsAt("lockWithin", lock, ms, now);
  let attempt = attempts.next();
  while (attempt.done !== true) {
    const { value, limit } = attempt.value;
    attempt = attempts.next(Atomics.wait(lock.word, 0, value, limit));
  }
  return attempt.value;
}

/**
 * The same without blocking the thread, as a main thread needs it: resolves to whether it took the lock, always so
 * without `ms`. Several may wait on one handle, unless its lock has `leave`. A process lives as long as it waits. A caller
 * that was woken keeps the sleepers behind it waiting until its thread's event loop comes to it. Rejects where lockWithin
 * throws, and with the reason of a signal that ended the wait. While it waits, what blocks the thread on the same handle
 * throws where it finds the lock taken: the lock could be freed for the caller that cannot come. A signal wakes the other sleepers, too, which announce
 * themselves again: a sleeper cannot be woken alone.
 */
export async function lockAsync(
  lock: SleepingLock,
  ms = Number.POSITIVE_INFINITY,
  options: Leaving = {},
): Promise<boolean> {
  assertLock("lockAsync", lock);
  assertOptions("lockAsync", options, LEAVING);
  return takenAsync(lock, ms, options.signal);
}

async function takenAsync(lock: SleepingLock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  signal?.throwIfAborted();
  const attempts = attemptsAt("lockAsync", lock, ms, monotonic, signal);
  const first = attempts.next();
  const isTaken = first.done === true ? first.value : await takenLater(lock, attempts, first.value, signal);
  if (!signal?.aborted) return isTaken;
  if (isTaken) unlockAsFound(lock);
  throw signal.reason;
}

const MENDING = { mend: "function" } as const satisfies OptionKinds<Mending<unknown>>;
const LEAVING = { signal: "signal" } as const satisfies OptionKinds<Leaving>;
const MENDING_OR_LEAVING = { ...MENDING, ...LEAVING };

/** Sleeps between the attempts without blocking the thread, and returns their result. */
async function takenLater(
  lock: SleepingLock,
  attempts: ReturnType<typeof attemptsAt>,
  first: Sleep,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { word } = lock;
  const forget = onAbort(signal, () => void Atomics.notify(word, 0));
  noteAwaited(word, 1);
  try {
    for (let { value, limit } = first; ; ) {
      const attempt = attempts.next(await woken(word, value, limit));
      if (attempt.done === true) return attempt.value;
      ({ value, limit } = attempt.value);
    }
  } finally {
    noteAwaited(word, -1);
    forget();
  }
}

type Woken = ReturnType<typeof Atomics.wait>;

/** For how long at most to sleep, and on which value of the lock's word. */
interface Sleep {
  readonly value: number;
  readonly limit: number;
}

/**
 * The attempts at a lock until it is taken or time is up, which they return. Between two of them the caller sleeps as
 * the yielded value says, and passes in how that ended. A worker that was woken has one more attempt, however late it
 * is. The wake-up was for one sleeper; where it takes the lock or announces itself, the others are not forgotten.
 */
function* attemptsAt(
  caller: string,
  lock: SleepingLock,
  ms: number,
  now: () => number,
  signal?: AbortSignal,
): Generator<Sleep, boolean, Woken> {
  if (typeof lock.lockOrAnnounce !== "function")
    throw new TypeError(
      `${caller}: this lock's waiters cannot go away: use one that sleeps, such as spin-100-then-park`,
    );
  if (!(typeof ms === "number" && ms >= 0))
    throw new RangeError(`${caller}: ms ${shown(ms)} is not a number from 0 on`);
  // Announces no sleeper, so that the next unlock has none to wake.
  if (lock.tryLock()) return true;
  const deadline = now() + ms;
  for (let limit = ms; ; ) {
    const value = lock.lockOrAnnounce();
    if (value === undefined) return true;
    if (limit <= 0) return lock.leave?.() ?? false;
    const ended = yield { value, limit };
    limit = ended === "timed-out" || signal?.aborted ? 0 : deadline - now();
  }
}

function assertLock(door: string, lock: unknown): void {
  const { lock: take, hold } = Object(lock) as Partial<Lock & ScopedLock>;
  if (typeof take !== "function" && typeof hold !== "function")
    throw new TypeError(`${door}: ${shown(lock)} is no lock: give what attachLock returned`);
}

function monotonic(): number {
  return performance.now();
}

/** Atomics.wait for a thread that must not block. */
async function woken(word: SleepingLock["word"], value: number, limit: number): Promise<Woken> {
  // Atomics.waitAsync alone does not keep a process alive.
  const alive = setInterval(() => {}, LONGEST_INTERVAL_MS);
  try {
    return await Atomics.waitAsync(word, 0, value, limit).value;
  } finally {
    clearInterval(alive);
  }
}

/** Runtimes take a longer one for 1. */
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

/**
 * The same lock through a handle that remembers whether it is held, so that every misuse of this handle throws an
 * Error. Misuse is to unlock a lock that it does not hold, or to `lock` one that it holds. It costs a call and a
 * private flag for each operation.
 */
export function checked<Handle extends Lock>(lock: Handle): Handle {
  assertLock("checked", lock);
  let isHeld = false;
  const operations = {
    lock() {
      if (isHeld)
        throw new Error("lock: this handle holds the lock, and would wait for itself: unlock it first");
      lock.lock();
      isHeld = true;
    },
    tryLock() {
      if (!lock.tryLock()) return false;
      isHeld = true;
      return true;
    },
    unlock() {
      if (!isHeld)
        throw new Error(
          "unlock: this handle does not hold the lock: unlock once for each lock or tryLock that took it",
        );
      isHeld = false;
      lock.unlock();
    },
  } satisfies Pick<Lock, "lock" | "tryLock" | "unlock">;
  const handle: Handle = Object.assign(Object.create(lock), operations);
  if (isSleeping(lock))
    Object.assign(handle, {
      lockOrAnnounce() {
        const value = lock.lockOrAnnounce();
        if (value === undefined) isHeld = true;
        return value;
      },
      ...(lock.leave && {
        leave() {
          isHeld = lock.leave!();
          return isHeld;
        },
      }),
    });
  if (isRobust(lock))
    Object.assign(handle, {
      unlockInconsistent() {
        lock.unlockInconsistent();
        isHeld = false;
      },
    });
  return handle;
}

function isSleeping(lock: Lock | ScopedLock): lock is SleepingLock {
  return "lockOrAnnounce" in lock;
}
