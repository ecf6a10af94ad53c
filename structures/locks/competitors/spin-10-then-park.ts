import type { LockCompetitor } from "../locks.contract.ts";
import { spinThenPark } from "../parts/spin.ts";

/**
 * A mutex that sleeps only after ten polls of a lock that is taken and without sleepers.
 *
 * Promise: mutual exclusion; a sleeper is woken by some later unlock.
 * Progress: blocking. Not fair: a running worker may take the lock ahead of one being woken.
 * Threads: any worker that attached; only the holder unlocks. Can be waited for up to a limit, and without blocking.
 * Cost: uncontended, one compareExchange to lock and one exchange to unlock. Contended, up to 10 loads before each
 *   Atomics.wait, and one Atomics.notify per unlock that found state 2.
 * Memory: 1 word. Pad it yourself where neighbours are hot.
 * Limits: a holder that dies leaves it taken for ever. A waiter that is terminated as it is woken leaves the others
 *   asleep on a free lock until its seat is freed (freeSeat). To unlock a free lock throws; to unlock what another
 *   worker holds is not detected, and lets a second one in. To lock what this worker holds is not detected, and waits for ever.
 *   The polls are time lost where the holder is off its core. Atomics.wait and notify meet in one process-wide list
 *   under one mutex in V8.
 * Bet: too short to outlast a section, so that it sleeps as often as the futex that does not spin at all.
 * Source: after Rust, library/std/src/sys/sync/mutex/futex.rs, which polls 100 times; the mechanism is in
 *   parts/spin.ts.
 *
 *     word 0  state: 0 free, 1 taken, 2 taken and someone may sleep
 *             written by every worker, atomically; read by waiting workers, plainly
 */
export default {
  ...spinThenPark(10),
  summary: "three-state futex mutex that polls 10 times before it sleeps",
  source: "after Rust, library/std/src/sys/sync/mutex/futex.rs, which polls 100 times",
} satisfies LockCompetitor;
