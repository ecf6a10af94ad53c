import { STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * The last message of one producer, which a consumer takes if it has not had it: the last value wins.
 *
 * Promise: the newest message, whole. An older one that was not received is gone.
 * Progress: the producer wait-free, the consumer lock-free: it reads again where a new message came meanwhile.
 * Threads: one producer and one consumer.
 * Cost: an atomic store for each word and one more; an atomic load for each word and two more, and a store.
 * Memory: twice `longest` words and two strides.
 * Limits: it holds one message, whatever its capacity.
 * Bet: for a state that is published more often than it is looked at.
 * Source: seqlocks (Linux, include/linux/seqlock.h) with two copies as its latch (raw_write_seqcount_latch), so that the
 *   one being written is never the one that is read.
 *
 *     word 0       count   messages sent, modulo 2^32; written by the producer, atomically
 *     word 1 ..    message n at n % 2 * longest; atomically: a plain store could be seen before the count that precedes it
 *     word 64      taken   the count of the last message received; written by the consumer alone
 */
export default {
  summary: "mailbox of two copies behind a count: the last message wins",
  source: "seqlock latch (Linux, include/linux/seqlock.h)",
  progress: "lock-free",
  messages: "words",
  producers: "one",
  consumers: "one",
  full: "drops-oldest",
  holds: 1,
  order: "global",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words: () => TAKEN + 1,

  format(memory) {
    Atomics.store(memory, COUNT, 0);
    Atomics.store(memory, TAKEN, 0);
  },

  sender(memory, { longest }) {
    let count = Atomics.load(memory, COUNT);
    return {
      trySend(message) {
        count = (count + 1) | 0;
        const at = MESSAGES + (count & 1) * longest;
        for (let word = 0; word < longest; word++) Atomics.store(memory, at + word, message[word]!);
        Atomics.store(memory, COUNT, count);
        return true;
      },
    };
  },

  receiver(memory, { longest }) {
    let taken = Atomics.load(memory, TAKEN);
    return {
      tryReceive(into) {
        for (let count = Atomics.load(memory, COUNT); count !== taken; ) {
          const at = MESSAGES + (count & 1) * longest;
          for (let word = 0; word < longest; word++) into[word] = Atomics.load(memory, at + word);
          const latest = Atomics.load(memory, COUNT);
          if (latest === count) {
            taken = count;
            Atomics.store(memory, TAKEN, taken);
            return longest;
          }
          count = latest;
        }
        return EMPTY;
      },
    };
  },
} satisfies QueuesCompetitor;

const COUNT = 0;
const MESSAGES = 1;
/** Behind two copies of the longest message. */
const TAKEN = 2 * STRIDE_WORDS;
