import robustFutex from "../../locks/competitors/robust-futex.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { formatRing, lockedReceiver, lockedSender, recovered, ringWords } from "../parts/locked-ring.ts";
import { assertSetup, type QueuesCompetitor } from "../queues.contract.ts";

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
 *     word 0       lock   see locks/robust-futex
 *     words 32 ..  ring   see parts/locked-ring.ts
 */
const competitor = {
  summary: "ring of messages behind a futex mutex that is freed when its holder's death is reported",
  source: "pthread_mutexattr_setrobust(3); Linux robust futexes",
  progress: "blocking",
  sleepWord: 0,
  messages: "words",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "freed",
  stoppedReceiver: "freed",

  words(setup) {
    assertSetup(competitor, setup);
    return STRIDE_WORDS + ringWords(setup);
  },

  format(memory) {
    robustFutex.format(memory);
    formatRing(memory.subarray(STRIDE_WORDS));
  },

  holders: () => robustFutex.holderWords,

  sender: (memory, setup, worker) =>
    lockedSender(memory.subarray(STRIDE_WORDS), setup, recovered(robustFutex.attach(memory, worker)), {
      dropsOldest: false,
    }),

  receiver: (memory, setup, worker) =>
    lockedReceiver(memory.subarray(STRIDE_WORDS), setup, recovered(robustFutex.attach(memory, worker))),
} satisfies QueuesCompetitor;

export default competitor;
