import { behindRobustFutex } from "../parts/guarded.ts";
import { lockedRing } from "../parts/locked-ring.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring behind a mutex that names its holder, which is freed with the seat of a holder that died.
 *
 * Promise: that of locked-ring. A worker that dies inside stops the others until its seat is freed.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: that of locked-ring, and a load.
 * Memory: that of locked-ring.
 * Limits: a seat that is not freed leaves the queue taken.
 * Bet: to survive deaths costs little beside the lock.
 * Source: locks/robust-futex. Each call changes one word as its last step, so that there is nothing to mend.
 *
 *     see parts/guarded.ts and parts/locked-ring.ts
 */
export default {
  ...behindRobustFutex(lockedRing()),
  summary: "ring of messages behind a futex mutex that is freed when its holder's death is reported",
  source: "pthread_mutexattr_setrobust(3); Linux robust futexes",
  messages: "words",
  exactFull: true,
} satisfies QueuesCompetitor;
