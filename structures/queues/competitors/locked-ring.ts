import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { formatRing, lockedReceiver, lockedSender, ringWords } from "../parts/locked-ring.ts";
import { assertSetup, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring behind one mutex, for any number of producers and consumers.
 *
 * Promise: all messages in one order; full and empty are exact.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: an uncontended lock and unlock, and a few plain accesses within; contended, a trip through the kernel.
 * Memory: `longest` words for each message, and two strides.
 * Limits: a worker that dies inside stops all others for good. One that is terminated as it is woken for the lock may
 *   leave the others asleep on the free lock.
 * Bet: the plainest queue there is; a rival has to be faster where several threads meet.
 * Source: the bounded buffer of Dijkstra, "Cooperating sequential processes" (1965), and of every textbook since.
 *
 *     word 0       lock   see locks/futex-three-state
 *     words 32 ..  ring   see parts/locked-ring.ts; read and written plainly by the worker that holds the lock
 */
const competitor = {
  summary: "ring of messages behind a three-state futex mutex",
  source: 'bounded buffer (Dijkstra, "Cooperating sequential processes", 1965)',
  progress: "blocking",
  sleepWord: 0,
  messages: "words",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "fatal",
  stoppedReceiver: "fatal",

  words(setup) {
    assertSetup(competitor, setup);
    return STRIDE_WORDS + ringWords(setup);
  },

  format(memory) {
    futex.format(memory);
    formatRing(memory.subarray(STRIDE_WORDS));
  },

  sender: (memory, setup) =>
    lockedSender(memory.subarray(STRIDE_WORDS), setup, futex.attach(memory), { dropsOldest: false }),

  receiver: (memory, setup) => lockedReceiver(memory.subarray(STRIDE_WORDS), setup, futex.attach(memory)),
} satisfies QueuesCompetitor;

export default competitor;
