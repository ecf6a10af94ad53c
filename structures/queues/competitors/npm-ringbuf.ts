import { RingBuffer } from "ringbuf.js";
import { EMPTY, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * The package ringbuf.js: a ring of elements from one producer to one consumer.
 *
 * Promise: messages in their order; full and empty are exact.
 * Progress: wait-free.
 * Threads: one producer and one consumer.
 * Cost: two atomic loads, a copy through views of the ring and one atomic store for each call.
 * Memory: `longest` words for each message and one more, and two words.
 * Limits: it takes and gives as many elements as there are: it is asked for its room before each message.
 * Bet: what a published ring without remembered counters costs.
 * Source: npm ringbuf.js 0.4.0.
 */
export default {
  summary: "ringbuf.js: ring of elements of one producer and one consumer",
  source: "npm ringbuf.js",
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

  words: () => 0,

  format() {},

  share({ capacity, longest }) {
    const value = RingBuffer.getStorageForCapacity(capacity * longest, Int32Array);
    return [0, 1].map(() => ({ value, transfer: [] }));
  },

  sender(_memory, { longest }, _worker, end) {
    const ring = new RingBuffer(end as SharedArrayBuffer, Int32Array);
    return {
      trySend: (message) =>
        ring.availableWrite() >= longest && ring.push(message as Int32Array, longest) === longest,
    };
  },

  receiver(_memory, { longest }, _worker, end) {
    const ring = new RingBuffer(end as SharedArrayBuffer, Int32Array);
    return {
      tryReceive: (into) => (ring.pop(into as Int32Array, longest) === longest ? longest : EMPTY),
    };
  },
} satisfies QueuesCompetitor;
