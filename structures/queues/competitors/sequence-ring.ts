import { STRIDE_WORDS } from "../../shared/layout.ts";
import { copyIn, copyOut } from "../parts/places.ts";
import { EMPTY, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring whose places each have a number that says whose turn it is there, for any number of producers and consumers.
 *
 * Promise: all messages in one order.
 * Progress: blocking: a worker that claimed a place and stops keeps the others from what comes after it. Nobody waits in a
 *   loop for it: the queue seems empty, or full.
 * Threads: any number of producers and consumers.
 * Cost: two loads, a compareExchange, the copy and a store; more where another claims the same place.
 * Memory: `longest` and one words for each message, and two strides.
 * Limits: full and empty are not exact: behind a place that is being written or read there may be messages, or room. A
 *   worker terminated there ends the queue.
 * Bet: workers meet at one counter for each side, and never at both.
 * Source: Vyukov, "Bounded MPMC queue" (1024cores).
 *
 *     word 0       head   places claimed by consumers, modulo 2^32; atomically
 *     word 32      tail   places claimed by producers, modulo 2^32; atomically
 *     words 64 ..  for each place
 *         word 0       n where message n may be written, n + 1 once it is there, n + capacity once it was received; atomically
 *         words 1 ..   the message, plain: the store of that number hands it over
 */
export default {
  summary: "ring whose places each have a number that says whose turn it is",
  source: 'Vyukov, "Bounded MPMC queue" (1024cores)',
  progress: "blocking",
  messages: "words",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "global",
  exactEmpty: false,
  exactFull: false,
  stoppedSender: "fatal",
  stoppedReceiver: "fatal",

  words: (setup) => PLACES + setup.capacity * (1 + setup.longest),

  format(memory, { capacity, longest }) {
    Atomics.store(memory, HEAD, 0);
    Atomics.store(memory, TAIL, 0);
    for (let place = 0; place < capacity; place++)
      Atomics.store(memory, PLACES + place * (1 + longest), place);
  },

  sender(memory, { capacity, longest }) {
    return {
      trySend(message) {
        let tail = Atomics.load(memory, TAIL);
        for (;;) {
          const place = PLACES + (tail & (capacity - 1)) * (1 + longest);
          const ahead = (Atomics.load(memory, place) - tail) | 0;
          if (ahead < 0) return false;
          const found =
            ahead > 0 ? Atomics.load(memory, TAIL) : Atomics.compareExchange(memory, TAIL, tail, tail + 1);
          if (ahead === 0 && found === tail) {
            copyIn(memory, place + 1, message, longest);
            Atomics.store(memory, place, tail + 1);
            return true;
          }
          tail = found;
        }
      },
    };
  },

  receiver(memory, { capacity, longest }) {
    return {
      tryReceive(into) {
        let head = Atomics.load(memory, HEAD);
        for (;;) {
          const place = PLACES + (head & (capacity - 1)) * (1 + longest);
          const ahead = (Atomics.load(memory, place) - (head + 1)) | 0;
          if (ahead < 0) return EMPTY;
          const found =
            ahead > 0 ? Atomics.load(memory, HEAD) : Atomics.compareExchange(memory, HEAD, head, head + 1);
          if (ahead === 0 && found === head) {
            copyOut(memory, place + 1, into, longest);
            Atomics.store(memory, place, head + capacity);
            return longest;
          }
          head = found;
        }
      },
    };
  },
} satisfies QueuesCompetitor;

const HEAD = 0;
const TAIL = STRIDE_WORDS;
const PLACES = 2 * STRIDE_WORDS;
