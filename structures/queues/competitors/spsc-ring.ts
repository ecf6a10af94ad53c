import { formatOneToOne, oneToOneReceiver, oneToOneSender, oneToOneWords } from "../parts/one-to-one.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring from one producer to one consumer, each of which remembers what it last saw of the other.
 *
 * Promise: messages in their order; full and empty are exact.
 * Progress: wait-free.
 * Threads: one producer and one consumer.
 * Cost: the copy and one atomic store for each call, and one atomic load where the remembered counter leaves nothing to do:
 *   about once in a ring's length if one side is ahead of the other.
 * Memory: `longest` words for each message, and two strides.
 * Limits: a second producer or consumer would lose and double messages; the setup refuses them.
 * Bet: no rival with more freedom is as fast for one pair of threads.
 * Source: Lamport, "Specifying concurrent program modules" (1983). Remembered counters: Lee, Bu & Chandranmenon,
 *   "A lock-free, cache-efficient shared ring buffer for multi-core architectures" (MCRingBuffer, ANCS 2009).
 *
 *     see parts/one-to-one.ts
 */
export default {
  summary: "ring of one producer and one consumer, which remember each other's counter",
  source: "Lamport 1983; MCRingBuffer (Lee, Bu & Chandranmenon 2009)",
  progress: "wait-free",
  messages: "words",
  producers: "one",
  consumers: "one",
  full: "refuses",
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words: (setup) => oneToOneWords(setup),

  format: formatOneToOne,

  sender(memory, setup) {
    const { trySend } = oneToOneSender(memory, setup, 1);
    return { trySend };
  },

  receiver: oneToOneReceiver,
} satisfies QueuesCompetitor;
