import { ringEach } from "../parts/in-turn.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";
import spscRing from "./spsc-ring.ts";

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
export default {
  ...ringEach(spscRing),
  summary: "a ring for each producer, which one consumer looks at in turn",
  source: "per-producer sub-queues of moodycamel::ConcurrentQueue (Desrochers 2014)",
  messages: "words",
  exactFull: true,
} satisfies QueuesCompetitor;
