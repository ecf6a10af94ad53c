import { type Region, wholeStrides } from "../../shared/layout.ts";
import { formatOneToOne, HEAD, oneToOneSender, oneToOneWords, PLACES, TAIL } from "../parts/one-to-one.ts";
import { copyOut } from "../parts/places.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A deque for each producer, from whose old end any consumer steals. Each consumer begins at one of its own.
 *
 * Promise: each consumer receives the messages of a producer in their order. Each producer has all of the capacity to
 *   itself.
 * Progress: lock-free: a consumer copies the message and then claims it, so that one that stops keeps nothing.
 * Threads: any number of producers and consumers.
 * Cost: a send is that of spsc-ring. A receive is two loads, the copy and a compareExchange for the deque that has a message,
 *   and two loads for each that has none. A consumer that loses to another copies in vain.
 * Memory: `longest` words for each message and two strides for each producer.
 * Limits: empty is not exact: a message may come to a deque that was passed while another took the last of the next.
 * Bet: consumers with a deque of their own hardly meet, and none is idle while another has too much.
 * Source: Chase & Lev, "Dynamic circular work-stealing deque" (SPAA 2005), without the owner's pop.
 *
 *     for each producer, in whole strides, as parts/one-to-one.ts; but consumers change `head`, and what they read while the
 *     producer writes is thrown away, as `head` has moved
 */
export default {
  summary: "a deque for each producer, whose oldest messages any consumer steals",
  source: "Chase & Lev 2005",
  progress: "lock-free",
  messages: "words",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "producer",
  exactEmpty: false,
  exactFull: true,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words: (setup) => setup.producers * dequeWords(setup),

  format(memory, setup) {
    for (let deque = 0; deque < setup.producers; deque++)
      formatOneToOne(memory.subarray(deque * dequeWords(setup)));
  },

  sender(memory, setup, { index }) {
    const { trySend } = oneToOneSender(memory.subarray(index * dequeWords(setup)), setup, 1);
    return { trySend };
  },

  receiver(memory, setup, { index }) {
    const { capacity, longest, producers } = setup;
    const deques = Array.from({ length: producers }, (_, deque) =>
      memory.subarray(deque * dequeWords(setup)),
    );
    let at = (index - producers) % producers;
    const steal = (deque: Region, into: Parameters<typeof copyOut>[2]): number => {
      for (;;) {
        const top = Atomics.load(deque, HEAD);
        if (top === Atomics.load(deque, TAIL)) return EMPTY;
        copyOut(deque, PLACES + (top & (capacity - 1)) * longest, into, longest);
        if (Atomics.compareExchange(deque, HEAD, top, (top + 1) | 0) === top) return longest;
      }
    };
    return {
      // Stays at a deque for as long as it has messages.
      tryReceive(into) {
        for (let looked = 0; looked < producers; looked++) {
          if (steal(deques[at]!, into) !== EMPTY) return longest;
          at = at + 1 === producers ? 0 : at + 1;
        }
        return EMPTY;
      },
    };
  },
} satisfies QueuesCompetitor;

const dequeWords = (setup: QueueSetup) => wholeStrides(oneToOneWords(setup));
