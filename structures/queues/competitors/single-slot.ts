import { STRIDE_WORDS } from "../../shared/layout.ts";
import { copyIn, copyOut } from "../parts/places.ts";
import { EMPTY, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * One message in shared memory and a flag that says whether it is there: what is written by hand around Atomics.wait.
 *
 * Promise: messages in their order; full and empty are exact for the one message that it holds.
 * Progress: wait-free.
 * Threads: one producer and one consumer.
 * Cost: the copy, an atomic load and an atomic store for each call; both sides write the flag.
 * Memory: `longest` words and a stride.
 * Limits: it holds one message, whatever its capacity: the producer waits for the consumer after each.
 * Bet: how much of a hop a ring saves.
 * Source: the shared flag of Node's own synchronous hooks and of sync-message-port, with the message beside it.
 *
 *     word 0       flag   1 while the message is there; atomically
 *     words 32 ..  the message, plain: the store of the flag hands it over
 */
export default {
  summary: "one message and a flag that says whether it is there",
  source: "a flag and Atomics.wait, as in Node's synchronous hooks",
  progress: "wait-free",
  messages: "words",
  producers: "one",
  consumers: "one",
  full: "refuses",
  holds: 1,
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words: (setup) => MESSAGE + setup.longest,

  format: (memory) => void Atomics.store(memory, FLAG, 0),

  sender: (memory, { longest }) => ({
    trySend(message) {
      if (Atomics.load(memory, FLAG) !== 0) return false;
      copyIn(memory, MESSAGE, message, longest);
      Atomics.store(memory, FLAG, 1);
      return true;
    },
  }),

  receiver: (memory, { longest }) => ({
    tryReceive(into) {
      if (Atomics.load(memory, FLAG) === 0) return EMPTY;
      copyOut(memory, MESSAGE, into, longest);
      Atomics.store(memory, FLAG, 0);
      return longest;
    },
  }),
} satisfies QueuesCompetitor;

const FLAG = 0;
const MESSAGE = STRIDE_WORDS;
