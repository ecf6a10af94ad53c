import { wholeStrides } from "../../shared/layout.ts";
import { inTurn } from "../parts/in-turn.ts";
import { formatOneToOne, oneToOneReceiver, oneToOneSender, oneToOneWords } from "../parts/one-to-one.ts";
import { assertSetup, type QueueSetup, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring for each producer, which one consumer looks at in turn.
 *
 * Promise: the messages of each producer in their order, and none of a producer's before it has looked at the others' once.
 *   Each producer has all of the capacity to itself.
 * Progress: wait-free.
 * Threads: any number of producers and one consumer.
 * Cost: a send is that of spsc-ring, whatever the other producers do. A receive looks at the rings from the last one on,
 *   until one has a message: at all of them where there is none.
 * Memory: that of spsc-ring for each producer.
 * Limits: messages of two producers may be received in another order than that in which they were sent.
 * Bet: producers that share nothing are worth the consumer's round.
 * Source: the per-producer sub-queues of moodycamel::ConcurrentQueue (Desrochers 2014), of a fixed number.
 *
 *     a ring for each producer in whole strides, each as in parts/one-to-one.ts
 */
const competitor = {
  summary: "a ring for each producer, which one consumer looks at in turn",
  source: "per-producer sub-queues of moodycamel::ConcurrentQueue (Desrochers 2014)",
  progress: "wait-free",
  messages: "words",
  producers: "many",
  consumers: "one",
  full: "refuses",
  order: "producer",
  exactEmpty: true,
  exactFull: true,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words(setup) {
    assertSetup(competitor, setup);
    return setup.producers * ringWords(setup);
  },

  format(memory, setup) {
    for (let producer = 0; producer < setup.producers; producer++)
      formatOneToOne(memory.subarray(producer * ringWords(setup)));
  },

  sender(memory, setup, { index }) {
    const { trySend } = oneToOneSender(memory.subarray(index * ringWords(setup)), setup, 1);
    return { trySend };
  },

  receiver: (memory, setup) =>
    inTurn(setup.producers, (producer) =>
      oneToOneReceiver(memory.subarray(producer * ringWords(setup)), setup),
    ),
} satisfies QueuesCompetitor;

const ringWords = (setup: QueueSetup) => wholeStrides(oneToOneWords(setup));

export default competitor;
