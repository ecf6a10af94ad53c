import { oneToOneSender } from "../parts/one-to-one.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";
import spscRing from "./spsc-ring.ts";

/** Messages: a store of the counter for each of these takes its line from the consumer once instead of 16 times. */
const BATCH = 16;

/**
 * A ring from one producer to one consumer, whose producer makes messages visible 16 at a time, or when it is told to.
 *
 * Promise: that of spsc-ring, but that a message may stay unseen until `flush`.
 * Progress: wait-free.
 * Threads: one producer and one consumer.
 * Cost: that of spsc-ring with one atomic store for 16 sends.
 * Memory: that of spsc-ring.
 * Limits: empty is not exact. A producer that is terminated takes up to 15 messages along that it had not flushed. One
 *   that has nothing more to send for a while has to flush.
 * Bet: the store of the counter is most of a send, where the consumer watches it.
 * Source: Lee, Bu & Chandranmenon, "A lock-free, cache-efficient shared ring buffer for multi-core architectures"
 *   (MCRingBuffer, ANCS 2009), batch updates of control variables.
 *
 *     see parts/one-to-one.ts
 */
export default {
  ...spscRing,
  summary: "ring of one producer and one consumer, whose producer shows 16 messages at a time",
  source: "MCRingBuffer (Lee, Bu & Chandranmenon 2009)",
  variantOf: "spsc-ring",
  exactEmpty: false,

  sender: (memory, setup) => oneToOneSender(memory, setup, BATCH),
} satisfies QueuesCompetitor;
