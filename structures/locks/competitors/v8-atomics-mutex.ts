import type { LockCompetitor, ScopedLock } from "../locks.contract.ts";

/**
 * V8's own mutex for shared objects, which exists behind the flag --harmony-struct: an object, not words.
 *
 * Promise: mutual exclusion; a sleeper is woken by some later unlock.
 * Progress: blocking. Not fair: a running worker may take the lock ahead of one being woken.
 * Threads: any worker that received the object by postMessage or workerData; held only for the length of a callback.
 * Cost: a call from JavaScript into the runtime and one back into the callback, around a compareExchange each to lock
 *   and to unlock. Contended, V8 polls with rising pauses and then sleeps on a list of its own.
 * Memory: one object in the heap that V8 shares among threads.
 * Limits: needs the flag, and is set aside where it is missing. Under the flag all threads of the process stop together
 *   for some garbage collections, which can hang Node 24 with any lock. One worker stops while it holds the mutex of
 *   Node's command line options; another that starts waits for this mutex and never stops. A worker that is terminated
 *   inside unwinds out of the callback and releases the lock, with the data as they were at that moment. To lock what
 *   this worker holds throws. Its polls and sleeps cannot be seen from outside: both counters stay
 *   0. No lockWithin and no lockAsync: its handle does not offer to go away.
 * Bet: the calls in and out cost more than the whole of a futex mutex in JavaScript.
 * Source: TC39 proposal-structs, Mutex; V8 src/objects/js-atomics-synchronization.cc.
 */
export default {
  summary: "V8's Atomics.Mutex, an object held for the length of a callback; needs --harmony-struct",
  source: "TC39 proposal-structs; V8 src/objects/js-atomics-synchronization.cc",
  progress: "blocking",
  deadHolder: "releases",

  unavailable: () => (Mutex === undefined ? "it needs node --harmony-struct" : undefined),

  words: () => 0,
  format() {},
  share: () => new Mutex!(),

  attach(_memory, _seat, shared): ScopedLock {
    const { lock, tryLock } = Mutex!;
    return {
      hold(body) {
        lock(shared, body);
      },
      tryHold: (body) => tryLock(shared, body).success,
      spins: 0,
      parks: 0,
    };
  },
} satisfies LockCompetitor;

/** What V8 13.6 has of it, as far as used here; the proposal has since moved on to tokens that unlock. */
interface AtomicsMutex {
  new (): unknown;
  /** Waits, then calls `body` while holding `mutex`. */
  lock(mutex: unknown, body: () => void): void;
  /** Calls `body` while holding `mutex` if it is free; says so in `success`. */
  tryLock(mutex: unknown, body: () => void): { readonly success: boolean };
}

const { Mutex } = Atomics as { Mutex?: AtomicsMutex };
