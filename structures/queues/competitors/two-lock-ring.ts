import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { copyIn, copyOut } from "../parts/places.ts";
import { EMPTY, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring with one mutex for all producers and another for all consumers.
 *
 * Promise: all messages in one order; full and empty are exact.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: an uncontended lock and unlock, the copy, an atomic load and an atomic store. Producers and consumers never wait
 *   for each other.
 * Memory: `longest` words for each message, and four strides.
 * Limits: a worker that dies inside stops all others of its side for good. One that is terminated as it is woken for the
 *   lock may leave the others asleep on the free lock.
 * Bet: a lock for each side costs less than one where both sides are busy.
 * Source: Michael & Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms" (PODC 1996),
 *   the two-lock queue, with a ring in place of its list.
 *
 *     word 0        the consumers' lock   see locks/futex-three-state
 *     word 32       head   messages received, modulo 2^32; written by the holder of that lock, atomically
 *     word 64       the producers' lock
 *     word 96       tail   messages sent, modulo 2^32; written by the holder of that lock, atomically
 *     words 128 ..  the messages, plain: a store of the counter behind them hands them over
 */
export default {
  summary: "ring with a three-state futex mutex for each side",
  source: "two-lock queue (Michael & Scott 1996)",
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

  words: (setup) => PLACES + setup.capacity * setup.longest,

  format(memory) {
    futex.format(memory.subarray(RECEIVING));
    futex.format(memory.subarray(SENDING));
    Atomics.store(memory, HEAD, 0);
    Atomics.store(memory, TAIL, 0);
  },

  sender(memory, { capacity, longest }) {
    const lock = futex.attach(memory.subarray(SENDING));
    return {
      trySend(message) {
        lock.lock();
        // Only the holder writes it.
        const tail = memory[TAIL]!;
        const hasRoom = ((tail - Atomics.load(memory, HEAD)) | 0) < capacity;
        if (hasRoom) {
          copyIn(memory, PLACES + (tail & (capacity - 1)) * longest, message, longest);
          Atomics.store(memory, TAIL, tail + 1);
        }
        lock.unlock();
        return hasRoom;
      },
    };
  },

  receiver(memory, { capacity, longest }) {
    const lock = futex.attach(memory.subarray(RECEIVING));
    return {
      tryReceive(into) {
        lock.lock();
        // Only the holder writes it.
        const head = memory[HEAD]!;
        const isEmpty = head === Atomics.load(memory, TAIL);
        if (!isEmpty) {
          copyOut(memory, PLACES + (head & (capacity - 1)) * longest, into, longest);
          Atomics.store(memory, HEAD, head + 1);
        }
        lock.unlock();
        return isEmpty ? EMPTY : longest;
      },
    };
  },
} satisfies QueuesCompetitor;

const RECEIVING = 0;
const HEAD = STRIDE_WORDS;
const SENDING = 2 * STRIDE_WORDS;
const TAIL = 3 * STRIDE_WORDS;
const PLACES = 4 * STRIDE_WORDS;
