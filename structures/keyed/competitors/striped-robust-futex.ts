import robustFutex from "../../locks/competitors/robust-futex.ts";
import type { KeyedCompetitor } from "../keyed.contract.ts";
import { striped } from "../parts/striped.ts";

/**
 * A fixed number of robust mutexes, each for the keys whose hash leads to it.
 *
 * Promise: of two bodies for one key one runs at a time, whichever workers they are of. The requests of one thread for one
 *   key run in their order. A key whose holder has died is free once that is reported, and `mend` runs before the next
 *   body. A request that is taken back leaves nothing behind.
 * Progress: blocking. Not fair between workers: one that runs may take a key ahead of one that is being woken, and a worker
 *   with many requests for one key may keep it for as long as it has them.
 * Threads: any worker that attached, one handle for each worker. `requestSync` blocks its thread, `request` does not.
 * Cost: a hash and a division, and what robust-futex costs. `request` takes besides a few promises and an object, and an
 *   entry of an AsyncLocalStorage. Of the requests of one thread for one stripe one at a time waits for the mutex.
 * Memory: 128 bytes for a stripe; and about a kilobyte of closures for each stripe that a worker has used.
 * Limits: keys that share a stripe exclude each other, so a slow body delays strangers. A request inside the body of
 *   another is refused, for the same key or not; a body that waits for a task begun earlier may wait for itself, and that
 *   is not seen. A dead worker that is not reported keeps its keys for ever. To report an exit takes a look at every stripe.
 * Bet: contention on one key is rarer than the number of keys suggests, so a table that never grows is enough.
 * Source: Guava Striped (lazyWeakLock and lock), C. Decker & D. Andreou; the names and errors of the Web Locks API (W3C).
 */
export default {
  summary: "a table of robust mutexes, one for all keys of a hash",
  source: "Guava Striped; pthread_mutexattr_setrobust(3); Web Locks API",
  progress: "blocking",
  order: "own",
  ...striped(robustFutex),
} satisfies KeyedCompetitor;
